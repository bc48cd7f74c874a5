<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Console\Registry\CommandList;
use Illuminate\Contracts\Foundation\Application;
use Symfony\Component\Console\Command\Command;

/**
 * The commands with their names in Artisan.
 *
 * @internal
 */
final readonly class ArtisanCommands
{
    /**
     * @var array<class-string<Command>, array{0: string, 1: string, 2?: bool}> name, description, whether it is hidden
     */
    public const LARAVEL = [
        SpoolInstallCommand::class => [
            'spool:install', 'Publish the configuration and the migration, create the buffer directory, and check it',
        ],
        SpoolBenchCommand::class => ['spool:bench', 'Measure the cost of buffering and flushing on this machine'],
        NotifyCommand::class => ['headroom:notify', 'Check for problems, and send alerts about new ones'],
        BenchQueuesCommand::class => ['headroom:bench:queues', 'Compare queue drivers with real workers'],
        BenchWorkerCommand::class => [
            'headroom:bench:worker', 'Run one worker of headroom:bench:queues, which starts this itself', true,
        ],
        LinkCommand::class => [
            'headroom:link', 'Print an address that shows the dashboard for an hour without a login',
        ],
        DoctorBackgroundCommand::class => [
            'headroom:doctor:background', 'Run the doctor for the dashboard, which starts this itself', true,
        ],
        CollectCacheCommand::class => [
            'headroom:collect:cache', 'Compile the configuration of the front controller, if one is published', true,
        ],
        CollectCacheClearCommand::class => [
            'headroom:collect:cache:clear',
            'Remove the compiled configuration of the front controller, which then answers 503',
            true,
        ],
    ];

    /** @return list<Command> */
    public static function of(Application $app): array
    {
        $make = (new CommandFactory($app))->make(...);

        return [
            ...CommandList::lazy(CommandList::SPOOL + self::LARAVEL, $make),
            ...CommandList::lazy(CommandList::TOOLS, $make, 'headroom:'),
        ];
    }
}
