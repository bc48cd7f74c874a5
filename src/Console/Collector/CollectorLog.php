<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Core\Clock;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * The collector's log: a line per message on standard error, with the process that says it.
 *
 * @internal
 */
final readonly class CollectorLog
{
    public function __construct(private OutputInterface $output, private Clock $clock) {}

    public function say(string $what): void
    {
        $errors = $this->output instanceof ConsoleOutputInterface ? $this->output->getErrorOutput() : $this->output;
        $errors->writeln(
            sprintf(
                '%s collect[%d] %s',
                $this->clock->now()->format('Y-m-d\TH:i:s.v\Z'),
                getmypid(),
                TerminalText::line($what),
            ),
            OutputInterface::OUTPUT_RAW,
        );
    }
}
