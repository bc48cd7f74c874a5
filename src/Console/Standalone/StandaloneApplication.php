<?php

declare(strict_types=1);

namespace Headroom\Console\Standalone;

use Symfony\Component\Console\Application;
use Symfony\Component\Console\Command\Command;

/**
 * In Artisan a command is `headroom:collect`, in this program `collect`. Messages name the former, so this program
 * accepts both names.
 *
 * @internal
 */
final class StandaloneApplication extends Application
{
    private const PREFIX = 'headroom:';

    public function find(string $name): Command
    {
        return parent::find(str_starts_with($name, self::PREFIX) ? substr($name, strlen(self::PREFIX)) : $name);
    }
}
