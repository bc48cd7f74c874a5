<?php

declare(strict_types=1);

/*
 * The bootstrap of the fault tests' child processes. dev/mutate-protocol.php names a copy of src/ with one guard
 * removed in HEADROOM_SRC, and runs the tests with this file as their bootstrap, too.
 */
require dirname(__DIR__, 3).'/vendor/autoload.php';

$source = getenv('HEADROOM_SRC');

if (is_string($source) && $source !== '') {
    spl_autoload_register(static function (string $class) use ($source): void {
        $path = $source.'/'.strtr(substr($class, strlen('Headroom\\')), '\\', '/').'.php';

        if (
            str_starts_with($class, 'Headroom\\')
            && ! str_starts_with($class, 'Headroom\\Tests\\')
            && file_exists($path)
        ) {
            require $path;
        }
    }, prepend: true);
}
