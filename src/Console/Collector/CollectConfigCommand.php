<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Collector\Server\Collector;
use Headroom\Console\BaseCommand;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(
    name: 'collect:config',
    description: 'Print a configuration of nginx, systemd or Supervisor for this collector',
)]
final class CollectConfigCommand extends BaseCommand
{
    private const PROGRAMS = ['nginx', 'systemd', 'socket', 'supervisor'];

    public function __construct(private readonly Collector $collector)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addArgument('for', InputArgument::REQUIRED, 'One of '.implode(', ', self::PROGRAMS))
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command prints a configuration that fits the collector's own. "socket"
                is the systemd socket unit, which keeps the address open while the service restarts.

                    <info>php %command.full_name% nginx</info>
                    <info>php %command.full_name% systemd > headroom-collector.service</info>

                Exit codes:

                  0  printed
                  1  the configuration is wrong
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $for = $input->getArgument('for');
        $templates = new ConfigTemplates($this->collector);

        $output->write(match ($for) {
            'nginx' => $templates->nginx(),
            'systemd' => $templates->systemd(),
            'socket' => $templates->socket(),
            'supervisor' => $templates->supervisor(),
            default => throw new InvalidArgumentException(sprintf(
                "The program is '%s'. It must be one of %s.",
                is_string($for) ? $for : '',
                implode(', ', self::PROGRAMS),
            )),
        }, false, OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }
}
