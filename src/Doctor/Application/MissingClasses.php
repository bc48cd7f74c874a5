<?php

declare(strict_types=1);

namespace Headroom\Doctor\Application;

use Headroom\Doctor\FactUnavailable;

/**
 * Classes that Composer's loader did not find in this process, such as those by which packages detect other packages.
 * The loader keeps their names until the process ends, and each process searches for their files again.
 *
 * @link https://getcomposer.org/doc/articles/autoloader-optimization.md
 *
 * @internal
 */
final readonly class MissingClasses
{
    private const LOADER = 'Composer\\Autoload\\ClassLoader';

    private const COMMAND = 'sudo timeout 5 strace -f -c -e trace=newfstatat,access,openat -p PID   # of a busy process'
        .' of the pool: its errors are files that are not there';

    /**
     * @param list<string> $names
     * @param bool $looksNowhere whether the class map is authoritative, or APCu caches missing classes
     */
    public function __construct(public array $names, public bool $looksNowhere) {}

    /** @throws FactUnavailable */
    public static function ofThisProcess(): self
    {
        $loaders = [];

        foreach (spl_autoload_functions() as $function) {
            if (is_array($function) && is_object($function[0]) && $function[0]::class === self::LOADER) {
                $loaders[] = self::state($function[0]);
            }
        }

        if ($loaders === []) {
            throw FactUnavailable::because('The loader of this process is not that of Composer.', self::COMMAND);
        }

        $names = [];
        $looking = 0;

        foreach ($loaders as $state) {
            $missing = $state["\0".self::LOADER."\0missingClasses"] ?? null;
            $authoritative = $state["\0".self::LOADER."\0classMapAuthoritative"] ?? null;

            if (! is_array($missing) || ! is_bool($authoritative)) {
                throw FactUnavailable::because(
                    "This version of Composer's loader does not tell what it did not find.",
                    self::COMMAND,
                );
            }

            $looking += $authoritative || is_string($state["\0".self::LOADER."\0apcuPrefix"] ?? null) ? 0 : 1;
            $names += array_map(static fn (): bool => true, $missing);
        }

        return new self(array_map(strval(...), array_keys($names)), $looking === 0);
    }

    /** @return array<array-key, mixed> what it keeps to itself: there is no other way to ask */
    private static function state(object $loader): array
    {
        return (array) $loader;
    }
}
