<?php

declare(strict_types=1);

use Composer\Autoload\ClassLoader;

/*
 * The bootstrap of the fault tests' child processes. tools/mutate-protocol.php names a copy of src/ with one guard
 * removed in HEADROOM_SRC, and runs the tests with this file as their bootstrap, too.
 */
$loader = require dirname(__DIR__, 3).'/vendor/autoload.php';
$source = getenv('HEADROOM_SRC');

if ($loader instanceof ClassLoader && is_string($source) && $source !== '') {
    $loader->setPsr4('Headroom\\', $source);
}
