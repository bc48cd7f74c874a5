<?php

declare(strict_types=1);

namespace Headroom\Console\Standalone;

use Symfony\Component\Console\Application;
use Symfony\Component\Console\Command\Command;

/**
 * Artisan has `headroom:collect`, and this program has `collect`. Messages name Artisan's, so each of them is found
 * here too, and a message needs to be written once.
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
