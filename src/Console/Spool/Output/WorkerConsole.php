<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\Output;

use Headroom\Console\CommandGuard;
use Headroom\Console\TerminalStyles;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Worker\WorkerOutput;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
final readonly class WorkerConsole implements WorkerOutput
{
    public function __construct(private OutputInterface $output) {}

    public function notice(string $message): void
    {
        $this->output->writeln(OutputFormatter::escape($message));
    }

    public function error(string $message): void
    {
        (new CommandGuard($this->output))->error($message);
    }

    public function report(FlushReport $report): void
    {
        (new FlushReportFormatter($this->output))->print($report);
    }

    public function supervisor(string $message): void
    {
        $this->output->writeln(
            TerminalStyles::of($this->output)->apply('warning', TerminalText::line("spool:work: {$message}")),
            OutputInterface::OUTPUT_RAW,
        );
    }
}
