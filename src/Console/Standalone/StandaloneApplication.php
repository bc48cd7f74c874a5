<?php

declare(strict_types=1);

namespace Headroom\Console\Standalone;

use Symfony\Component\Console\Application;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\CommandNotFoundException;

/**
 * In Artisan a command is `headroom:collect`, in this program `collect`. Messages name the former, so this program
 * accepts both names.
 *
 * @internal
 */
final class StandaloneApplication extends Application
{
    private const PREFIX = 'headroom:';

    /** Former names that Symfony, which compares letters, finds no alternative for. */
    private const FORMER = [
        'slowlog' => 'logs:slow',
        'errorlog' => 'logs:error',
        'lane' => 'collect:publish',
        'preload:bench' => 'bench:preload',
    ];

    public function find(string $name): Command
    {
        $name = str_starts_with($name, self::PREFIX) ? substr($name, strlen(self::PREFIX)) : $name;
        $now = self::FORMER[$name] ?? null;

        return $now === null
            ? parent::find($name)
            : throw new CommandNotFoundException(
                "Command \"{$name}\" is not defined.\n\nDid you mean this?\n    {$now}",
                [$now],
            );
    }
}
