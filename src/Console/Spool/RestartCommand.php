<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\JsonOutput;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:restart', description: 'Restart the workers after their current delivery, for a deploy')]
final class RestartCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command asks every <info>spool:work</info> that uses this buffer on this
                machine to stop after its current delivery. systemd or Supervisor starts it again with the new code.
                Call it in your deploy script, next to queue:restart.

                    <info>php %command.full_name%</info>

                Exit codes:

                  0  the workers are asked
                  1  the request could not be written
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $now = $this->spool->clock()->now();
        $this->spool->restarts()->request($now);
        self::isJson($input)
            ? (new JsonOutput($output))->print(['ok' => true, 'requested_at' => $now->format('Y-m-d\TH:i:s.u\Z')])
            : $output->writeln(
                'The workers stop within about a second, or after their current delivery. systemd or Supervisor starts '
                    .'them again.',
            );

        return self::SUCCESS;
    }
}
