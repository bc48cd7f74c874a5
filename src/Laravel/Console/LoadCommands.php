<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Console\Load\CompareCommand;
use Headroom\Console\Load\LoadCommand;
use Headroom\Console\Load\ShareCommand;
use Headroom\Console\SelfCommand;
use Headroom\Core\SystemClock;
use Headroom\Load\Generator;
use Headroom\Load\ProcessCpuTime;
use Illuminate\Contracts\Foundation\Application;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Command\LazyCommand;

/**
 * The load generator's commands under their names in artisan. No other command loads a class of theirs, hence the
 * descriptions here, where the classes have them too.
 *
 * @internal
 */
final readonly class LoadCommands
{
    private const SHARE = 'headroom:load:share';

    public function __construct(private Application $app) {}

    /** @return list<Command> */
    public function all(): array
    {
        return [
            new LazyCommand('headroom:load', [], 'Send HTTP requests to a URL and measure the answers', false, $this->load(...)),
            new LazyCommand(self::SHARE, [], 'One process of load --processes', true, static fn (): Command => new ShareCommand(self::generator(), new SystemClock)),
            new LazyCommand('headroom:compare', [], 'Tell what changed from one result of load to another', false, static fn (): Command => new CompareCommand),
        ];
    }

    private function load(): Command
    {
        // In a test another program than artisan runs.
        return new LoadCommand(self::generator(), new SystemClock, [...SelfCommand::command($this->app->basePath('artisan')), self::SHARE]);
    }

    private static function generator(): Generator
    {
        return new Generator(new SystemClock, new ProcessCpuTime);
    }
}
