#!/usr/bin/env php
<?php

declare(strict_types=1);

/*
 * Writes the files of GoldenFiles to the directory given. The committed files are the contract and are not made again
 * with each change: a test says whether the package still writes the same bytes. A file added here is added to
 * golden/v1 with what spool_reader.py says about it, once a person has read that.
 */

use Headroom\Tests\Format\GoldenFiles;

require dirname(__DIR__, 2).'/vendor/autoload.php';

$target = ($argv ?? [])[1] ?? '';

if ($target === '') {
    fwrite(STDERR, "usage: make_golden.php DIRECTORY\n");

    exit(2);
}

foreach (GoldenFiles::all() as $path => $content) {
    if (! is_dir(dirname("{$target}/{$path}"))) {
        mkdir(dirname("{$target}/{$path}"), 0777, true);
    }

    if (file_put_contents("{$target}/{$path}", $content) !== strlen($content)) {
        throw new RuntimeException("{$target}/{$path} could not be written.");
    }
}

echo count(GoldenFiles::all())." files\n";
