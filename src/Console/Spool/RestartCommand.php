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
#[AsCommand(name: 'spool:restart', description: 'Let workers end after the bucket at hand, so that whatever supervises them starts the new code')]
final class RestartCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addJsonOption()
            ->setHelp('Put it into the deploy script, beside queue:restart. It reaches every `spool:work` on this machine that uses the same buffer directory. Exit codes: 0 asked, 1 the request could not be written.');
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $now = $this->spool->clock()->now();
        $this->spool->restarts()->request($now);
        self::isJson($input)
            ? (new JsonOutput($output))->print(['ok' => true, 'requested_at' => $now->format('Y-m-d\TH:i:s.u\Z')])
            : $output->writeln('Workers end within about a second, or when they are done with the bucket at hand; whatever supervises them starts them anew.');

        return self::SUCCESS;
    }
}
