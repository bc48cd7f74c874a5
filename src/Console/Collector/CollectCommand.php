<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Collector\Collector;
use Headroom\Console\BaseCommand;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'collect', description: 'Take events over HTTP until told to stop')]
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
            'Where events come in: host:port, :port or unix:/path',
        )
            ->addOption(
                'admin',
                null,
                InputOption::VALUE_REQUIRED,
                'Where /livez, /readyz and /metrics are; 0 is nowhere',
            )
            ->addOption(
                'workers',
                null,
                InputOption::VALUE_REQUIRED,
                'Processes that take events; auto is one per core',
            )
            ->addOption(
                'flushers',
                null,
                InputOption::VALUE_REQUIRED,
                'Processes that deliver them; 0 where something else does',
            )
            ->addOption('bucket', null, InputOption::VALUE_REQUIRED, 'Where events wait')
            ->setHelp('What is not given is taken from the configuration. Stays in the foreground. SIGTERM and SIGQUIT finish what has begun, SIGINT what is at hand, each further signal is less patient; SIGHUP and SIGUSR2 replace all processes one after the other, with the code that is there then. Killing any of them at any moment loses nothing that was acknowledged. Exit codes: 0 stopped as asked, 1 it could not start or every worker ended as soon as it was started, 2 wrong usage.');
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $said = array_filter(
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
            $said,
            (new CollectorLog($output, $this->collector->spool->clock()))->say(...),
        );
    }
}
