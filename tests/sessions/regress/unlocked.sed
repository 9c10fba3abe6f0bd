/much)/,/^}/{
	/mutex/d
}
