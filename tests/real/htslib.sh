# htslib (C): its thread pool (queues, results in order and out of order, pipelines), with the tests at the end of thread_pool.c.
name=htslib
. "$here/common.sh"
fetch htslib

program=$source/pool_test
if stale "$program"; then
	cd "$source" || exit 1
	# the one function that the file needs of the library
	printf '#include <stdlib.h>\nvoid hts_log(int, const char *, const char *, ...);\nvoid hts_log(int a, const char *b, const char *c, ...) { (void)a; (void)b; (void)c; abort(); }\n' >pool_log.c
	quietly "$sleave" cc -O1 -g -DTEST_MAIN -DTASK_SIZE=20 -I. -o "$program" thread_pool.c pool_log.c
fi

begin
for test in unordered ordered1 ordered2; do
	passes -- "$program" $test 2
done
# A stage of the pipeline hands its job on and then looks whether it was the last one.
finds '^data race on r->data->eof \(pipe_job .*: T[0-9]* pipe_stage.to. reads at [^ ]*thread_pool.c:14(22|48)' -- "$program" pipe 2
