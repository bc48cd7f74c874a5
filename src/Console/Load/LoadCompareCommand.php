<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Console\BaseCommand;
use Headroom\Console\TerminalStyles;
use Headroom\Load\Compare\ComparedMetric;
use Headroom\Load\Compare\Comparison;
use Headroom\Load\Compare\Difference;
use Headroom\Load\Compare\SavedResult;
use Headroom\Load\Compare\UnableToCompare;
use Headroom\Report\Format;
use Headroom\Report\TextTable;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'load:compare', description: 'Show what changed between two results of load')]
final class LoadCompareCommand extends BaseCommand
{
    /** Names of styles by the lines that have them. */
    private const STYLES = [
        '/ worse$/' => 'critical',
        '/ better$/' => 'passed',
        '/ (too short to judge|not known)$/' => 'unknown',
        '/^ +before +after /' => 'heading',
    ];

    private const NOT_JUDGED = 3;

    private const DEFAULT_TOLERANCE = '5';

    public function configure(): void
    {
        $this->addArgument('before', InputArgument::REQUIRED, 'A file that load --output=FILE.json wrote')
            ->addArgument('after', InputArgument::REQUIRED, 'Such a file of a later run')
            ->addOption(
                'tolerance',
                null,
                InputOption::VALUE_REQUIRED,
                'Percent by which a figure may get worse',
                self::DEFAULT_TOLERANCE,
            )
            ->addJsonOption('Print the comparison as JSON')
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command compares two results of load, and says of each figure whether it
                got worse by more than the tolerance and the margin of error.

                    <info>php %command.full_name% before.json after.json</info>
                    <info>php %command.full_name% before.json after.json --tolerance=10 --json</info>

                Exit codes:

                  0  no figure got worse by more than the tolerance
                  1  a figure did
                  2  wrong usage
                  3  the runs are too short to judge
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        $tolerance = $input->getOption('tolerance');

        if (! is_string($tolerance) || preg_match('/\A\d{1,4}(\.\d{1,6})?\z/', $tolerance) !== 1) {
            return $this->errors($input, $output)->usageError(
                'The tolerance is '.json_encode($tolerance, JSON_INVALID_UTF8_SUBSTITUTE)
                    .'. It must be a number of percent such as 5 or 0.5.',
            );
        }

        try {
            $comparison = new Comparison(
                SavedResult::read(self::path($input, 'before')),
                SavedResult::read(self::path($input, 'after')),
                (float) $tolerance / 100,
            );
        } catch (UnableToCompare $e) {
            return $this->errors($input, $output)->usageError($e->getMessage());
        }

        $lines = self::isJson($input)
            ? [self::json($comparison, (float) $tolerance)]
            : TerminalStyles::of($output)->paint(self::table($comparison)->lines(), self::STYLES);
        $output->writeln($lines, OutputInterface::OUTPUT_RAW);

        foreach ($comparison->warnings() as $warning) {
            $errors->writeln(
                TerminalStyles::of($errors)->apply('warning', TerminalText::line($warning)),
                OutputInterface::OUTPUT_RAW,
            );
        }

        return match (true) {
            $comparison->isWorse() => self::FAILURE,
            ! $comparison->isJudged() => self::NOT_JUDGED,
            default => self::SUCCESS,
        };
    }

    private static function path(InputInterface $input, string $argument): string
    {
        $path = $input->getArgument($argument);

        return is_string($path) ? $path : '';
    }

    private static function json(Comparison $comparison, float $tolerance): string
    {
        return json_encode([
            'worse' => $comparison->isWorse(),
            'judged' => $comparison->isJudged(),
            'tolerance_percent' => $tolerance,
            'figures' => array_map(
                static fn (Difference $difference): array => $difference->toArray(),
                $comparison->differences(),
            ),
            'warnings' => $comparison->warnings(),
        ], JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE);
    }

    private static function table(Comparison $comparison): TextTable
    {
        $table = TextTable::of(['', 'before', 'after', 'change', 'margin', '']);

        foreach ($comparison->differences() as $difference) {
            $change = $difference->change();
            $table = $table->with(
                str_replace('_', $difference->metric->isTime() ? '.' : ' ', $difference->metric->value)
                    .($difference->metric->isTime() ? ' (ms)' : ''),
                self::value($difference->metric, $difference->before),
                self::value($difference->metric, $difference->after),
                $change === null ? '' : ($change < 0.0 ? '-' : '+').Format::share(abs($change)),
                self::margin($difference),
                $difference->metric->decides() ? $difference->verdict()->value : '',
            );
        }

        return $table;
    }

    /** As a share of the value before, if that is not zero. */
    private static function margin(Difference $difference): string
    {
        $isShare = $difference->metric !== ComparedMetric::ErrorRate && ($difference->before ?? 0.0) > 0.0;

        return match (true) {
            $difference->margin === null => '-',
            $isShare => '± '.Format::share($difference->margin / $difference->before),
            default => '± '.self::value($difference->metric, $difference->margin),
        };
    }

    private static function value(ComparedMetric $metric, ?float $value): string
    {
        return match (true) {
            $value === null => '-',
            $metric === ComparedMetric::ErrorRate => Format::share($value),
            $metric === ComparedMetric::RequestsPerSecond => Format::rate($value),
            default => Format::millis($value),
        };
    }
}
