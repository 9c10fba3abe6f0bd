# CivetWeb (C): a server with two workers and a queue between them and the thread that accepts. A library, so that the program
# around it is ours (civetweb.c), clients included.
name=civetweb
. "$here/common.sh"
fetch civetweb

program=$source/program
if stale "$program" || [ "$here/civetweb.c" -nt "$program" ]; then
	quietly "$sleave" cc -O1 -g -w -DNO_SSL -DNO_CGI -DNO_CACHING -DNO_FILES -I"$source/include" -I"$source/src" -o "$program" \
		"$here/civetweb.c" "$source/src/civetweb.c"
fi

begin
# The flag that ends the server is a volatile variable.
finds '^data race on ctx->stop_flag \(struct mg_context .*civetweb.c:(19473|19481|19328)' -- "$program" stop
passes --volatile=atomic -- "$program" stop
passes --volatile=atomic -- "$program"
