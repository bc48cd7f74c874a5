<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Support\PhpRestrictions;
use Throwable;
use WeakMap;

/**
 * Stops processes and removes directories when the script ends. A fatal error and exit() skip `finally`, and a fatal
 * error skips destructors too, but both run shutdown functions.
 *
 * @internal
 */
final class ShutdownHandler
{
    /** @var ?WeakMap<Stoppable, true> weak, because an object without other references has stopped in its destructor */
    private static ?WeakMap $subjects = null;

    /** @var array<string, TemporaryDirectory> by path; a removed directory leaves the list, so that it stays short */
    private static array $directories = [];

    public static function stop(Stoppable $subject): void
    {
        self::subjects()[$subject] = true;
    }

    /** A directory is held strongly, because it has no destructor and a failure may destroy its last reference. */
    public static function remove(TemporaryDirectory $directory): void
    {
        self::subjects();
        self::$directories[$directory->path] = $directory;
    }

    public static function forget(TemporaryDirectory $directory): void
    {
        unset(self::$directories[$directory->path]);
    }

    /** @return WeakMap<Stoppable, true> */
    private static function subjects(): WeakMap
    {
        if (self::$subjects === null) {
            self::$subjects = new WeakMap;
            // A fork inherits the function and the lists; each object knows its process and does nothing in a fork.
            PhpRestrictions::call('register_shutdown_function', self::end(...));
        }

        return self::$subjects;
    }

    /** In reverse order: later processes use earlier ones, and all of them use directories. */
    private static function end(): void
    {
        // A script that has reached its memory limit needs more memory to clean up.
        ini_set('memory_limit', '-1');
        $subjects = [];

        foreach (self::subjects() as $subject => $_) {
            $subjects[] = $subject;
        }

        foreach (array_reverse($subjects) as $subject) {
            self::quietly($subject->stop(...));
        }

        foreach (array_reverse(self::$directories) as $directory) {
            self::quietly($directory->remove(...));
        }
    }

    /** @param callable(): void $end a failure must not stop the other cleanups, and no caller is left to receive it */
    private static function quietly(callable $end): void
    {
        try {
            $end();
        } catch (Throwable) {
        }
    }
}
