<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Collector\Server\Collector;
use Headroom\Console\BaseCommand;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'collect', description: 'Accept events over HTTP until you stop it')]
final class CollectCommand extends BaseCommand
{
    public function __construct(private readonly Collector $collector)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addOption(
            'listen',
            null,
            InputOption::VALUE_REQUIRED,
            'Address for events: host:port, :port or unix:/path',
        )
            ->addOption(
                'admin',
                null,
                InputOption::VALUE_REQUIRED,
                'Address for /livez, /readyz and /metrics; 0 for none',
            )
            ->addOption(
                'workers',
                null,
                InputOption::VALUE_REQUIRED,
                'Number of processes that accept events; "auto" is one per core',
            )
            ->addOption(
                'flushers',
                null,
                InputOption::VALUE_REQUIRED,
                'Number of processes that deliver events; 0 if spool:work or spool:flush delivers them',
            )
            ->addOption('bucket', null, InputOption::VALUE_REQUIRED, 'Bucket that stores the events')
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command accepts events over HTTP and delivers them. It stays in the
                foreground. An option that you leave out has the value of the configuration.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --listen=127.0.0.1:9090 --workers=4</info>
                    <info>php %command.full_name% --flushers=0</info>

                Signals:

                  SIGTERM, SIGQUIT  answer the open requests, then stop
                  SIGINT            answer the requests that have arrived as a whole, then stop
                  SIGHUP, SIGUSR2   replace the processes one by one with the current code and configuration

                A further signal to stop shortens the wait. You can kill any process at any moment without losing an
                acknowledged event.

                Exit codes:

                  0  stopped as asked
                  1  it could not start, or every worker ended right after its start
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $options = array_filter(
            array_map($input->getOption(...), [
                'listen' => 'listen',
                'admin' => 'admin',
                'workers' => 'workers',
                'flushers' => 'flushers',
                'bucket' => 'bucket',
            ]),
            static fn (mixed $value): bool => $value !== null,
        );

        return $this->collector->supervise(
            $options,
            (new CollectorLog($output, $this->collector->spool->clock()))->say(...),
        );
    }
}
