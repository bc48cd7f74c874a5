<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\Output;

use Closure;
use Headroom\Console\TerminalStyles;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * Prints a flush report as text, errors on stderr.
 *
 * @internal
 */
final readonly class FlushReportFormatter
{
    /**
     * @param ?Closure(string): string $advice changes the commands in a message so that they act on an adopted buffer
     */
    public function __construct(private OutputInterface $output, private ?Closure $advice = null) {}

    public function print(FlushReport $report): void
    {
        $this->output->writeln($this->words($this->summary($report)));
        $errors = $this->output instanceof ConsoleOutputInterface ? $this->output->getErrorOutput() : $this->output;

        foreach ($report->losses as $place => $loss) {
            if ($loss->isAlarming) {
                $this->error($errors, "{$report->bucket} at {$place}.");
            }
        }

        if ($report->redelivered > 0) {
            $warning = $this->line("{$report->bucket}: the database was restored to an earlier state, "
                .TerminalText::count($report->redelivered, 'event')
                .' ago. Those that are still on this disk are delivered again.');
            $errors->writeln(TerminalStyles::of($errors)->apply('warning', $warning), OutputInterface::OUTPUT_RAW);
        }

        if ($report->dead > 0) {
            $this->error(
                $errors,
                "{$report->bucket}: ".TerminalText::count($report->dead, 'event')
                    ." refused, now dead letters. The first: {$report->firstDeath} See `spool:failed"
                    ." {$report->bucket}`.",
            );
        }

        if ($report->failure !== null) {
            $this->error($errors, "{$report->bucket}: {$report->reason()}");
        }
    }

    /** Printed with --quiet, too. */
    private function error(OutputInterface $errors, string $message): void
    {
        $errors->writeln("<error>{$this->words($message)}</error>", OutputInterface::VERBOSITY_QUIET);
    }

    private function words(string $message): string
    {
        return OutputFormatter::escape($this->line($message));
    }

    private function line(string $message): string
    {
        return TerminalText::line($this->advice === null ? $message : ($this->advice)($message));
    }

    private function summary(FlushReport $report): string
    {
        if ($report->busy) {
            return "{$report->bucket}: another process is flushing it";
        }

        if ($report->waiting !== null) {
            $trouble = $report->waiting;

            return "{$report->bucket}: waits until ".gmdate('H:i:s', intdiv($trouble->nextTry, 1_000_000) + 1)
                .' UTC after '.TerminalText::count($trouble->attempts, 'failure')
                ."; --now tries at once. The last failure: {$trouble->reason}";
        }

        if ($report->paused && $report->delivered === 0) {
            return "{$report->bucket}: it is paused; `spool:resume {$report->bucket}` ends that";
        }

        $torn = count(array_filter($report->losses, static fn ($loss): bool => ! $loss->isAlarming));

        return "{$report->bucket}: {$report->delivered} delivered in {$report->batches} "
            .($report->batches === 1 ? 'batch' : 'batches')
            .($report->replaced > 0
                ? ', '
                    .($report->replaced === 1
                        ? '1 string was not UTF-8 and lost its'
                        : "{$report->replaced} strings were not UTF-8 and lost their")
                    .' broken bytes'
                : '')
            .($torn > 1 ? ", {$torn} torn frames skipped (never acknowledged)" : '')
            .($torn === 1 ? ', 1 torn frame skipped (never acknowledged)' : '')
            .($report->dead > 0 ? ", {$report->dead} made dead letters" : '')
            .($report->paused ? ', then it was paused' : '')
            .($report->hasMore ? ', more events wait' : '')
            .($report->nextTokenAt === null
                ? ''
                : '; its rate limit holds it until '.gmdate('H:i:s', intdiv($report->nextTokenAt, 1_000_000) + 1)
                    .' UTC');
    }
}
