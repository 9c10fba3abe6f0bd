# A text as a C string, for #include: one literal a line.
s/[\\"]/\\&/g
s/.*/"&\\n"/
