<?php

declare(strict_types=1);

namespace Headroom\Console;

use Headroom\Support\PhpRestrictions;

/**
 * The command line that starts the running program again. It keeps the paths as they were typed and does not resolve
 * symbolic links, so that a deploy that switches a link gives the next process the new code.
 *
 * @internal
 */
final readonly class CurrentProgram
{
    /**
     * @param ?string $script null for the script that runs
     * @return list<string>
     */
    public static function command(?string $script = null): array
    {
        $arguments = $_SERVER['argv'] ?? [];
        $script ??= is_array($arguments) && is_string($arguments[0] ?? null) ? $arguments[0] : 'bin/headroom';

        return [
            PHP_BINARY,
            '-d',
            'opcache.enable_cli=1',
            '-d',
            'display_errors=stderr',
            str_starts_with($script, '/') ? $script : self::directory()."/{$script}",
        ];
    }

    public static function directory(): string
    {
        $here = PhpRestrictions::call('getcwd') ?? PhpRestrictions::call('realpath', '.');
        $named = PhpRestrictions::call('getenv', 'PWD');

        return match (true) {
            ! is_string($here) => '.',
            is_string($named) && $named !== '' && PhpRestrictions::call('realpath', $named) === $here => $named,
            default => $here,
        };
    }
}
