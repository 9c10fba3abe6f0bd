# A function in assembly: no table tells where it begins.
	.data
count:	.long 0
	.text
	.globl assembly_counts
	.type assembly_counts, @function
assembly_counts:
	incl count(%rip)
	ret
	.size assembly_counts, .-assembly_counts
	.section .note.GNU-stack, "", @progbits
