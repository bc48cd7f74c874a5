<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\Output;

use Headroom\Console\TerminalStyles;
use Headroom\Core\Finding;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * Findings, each with its fix.
 *
 * @internal
 */
final readonly class FindingList
{
    public function __construct(private OutputInterface $output) {}

    /** @param list<Finding> $findings */
    public function print(array $findings): void
    {
        $styles = TerminalStyles::of($this->output);

        foreach ($findings as $finding) {
            $label = $finding->fatal ? $styles->apply('critical', ' FAIL ') : $styles->apply('warning', ' NOTE ');
            $this->output->writeln([
                $label.TerminalText::line(" {$finding->subject}: {$finding->message}"),
                '       '.TerminalText::line($finding->fix),
            ], OutputInterface::OUTPUT_RAW);
        }
    }

    /** @param list<Finding> $findings */
    public static function isFatal(array $findings): bool
    {
        return array_filter($findings, static fn (Finding $finding): bool => $finding->fatal) !== [];
    }
}
