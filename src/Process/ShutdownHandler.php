<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Support\PhpRestrictions;
use Throwable;
use WeakMap;

/**
 * A fatal error, and an exit(), end the script without `finally`, and the former without destructors; but not without shutdown functions.
 *
 * @internal
 */
final class ShutdownHandler
{
    /** @var ?WeakMap<Stoppable, true> what nobody holds any more has stopped with its last holder */
    private static ?WeakMap $subjects = null;

    /** @var array<string, TemporaryDirectory> by path; those that are removed are not kept, however many there were */
    private static array $directories = [];

    public static function stop(Stoppable $subject): void
    {
        self::subjects()[$subject] = true;
    }

    /** Unlike a Stoppable, it does not end with its object: a failure may have taken that along. */
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
            // A fork inherits it with all that is named here; each of those knows whose it is.
            PhpRestrictions::call('register_shutdown_function', self::end(...));
        }

        return self::$subjects;
    }

    /** The last first: what was made later works in what was made before, and all of it in directories. */
    private static function end(): void
    {
        // Who has used up the memory that PHP may have needs some to clean up with.
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

    /** @param callable(): void $end one that fails keeps no other from its end, and nobody is there to be told */
    private static function quietly(callable $end): void
    {
        try {
            $end();
        } catch (Throwable) {
        }
    }
}
