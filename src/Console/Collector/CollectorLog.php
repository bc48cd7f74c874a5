<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Core\Clock;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * Writes the collector's log to standard error, one line per message, with the pid of the process.
 *
 * @internal
 */
final readonly class CollectorLog
{
    public function __construct(private OutputInterface $output, private Clock $clock) {}

    public function say(string $message): void
    {
        $errors = $this->output instanceof ConsoleOutputInterface ? $this->output->getErrorOutput() : $this->output;
        $errors->writeln(
            sprintf(
                '%s collect[%d] %s',
                $this->clock->now()->format('Y-m-d\TH:i:s.v\Z'),
                getmypid(),
                TerminalText::line($message),
            ),
            OutputInterface::OUTPUT_RAW,
        );
    }
}
