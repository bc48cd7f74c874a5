<?php

declare(strict_types=1);

// As another user: waits for directories of ours below a folder, and plants links and files of its own in
// each that it may write to.
[, $folder, $canaries] = $argv;

const FILES = [
    'fpm.log', 'nginx.log', 'php.log', 'slow.log', 'access.log', 'nginx.pid', 'log', 'recorder.php', 'password',
    'init.sql', 'fpm.conf', 'nginx.conf', 's', 'pid', 'preload.php',
];
const FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi', 'vendor', 'bootstrap', 'public'];
$conf = "[global]\nerror_log = {$canaries}/made-by-root\n[www]\nlisten = {$folder}/fpm.sock\nuser = www-data\npm ="
    ." static\npm.max_children = 1\n";
echo "ready\n";

for (; ; usleep(200)) {
    clearstatcache();

    foreach ((array) glob("{$folder}/headroom-*{,/*}", GLOB_ONLYDIR | GLOB_BRACE) as $directory) {
        if (! is_string($directory) || ! is_writable($directory)) {
            continue;
        }

        foreach (FILES as $name) {
            $path = "{$directory}/{$name}";

            if (! str_ends_with($name, '.conf')) {
                @symlink("{$canaries}/canary", $path);
            } elseif (is_file($path) && ! is_link($path) && fileowner($path) === 0) {
                @rename($path, "{$path}.old");
                @file_put_contents($path, $conf);
            }
        }

        foreach (FOLDERS as $name) {
            @symlink("{$canaries}/folder", "{$directory}/{$name}");
        }
    }
}
