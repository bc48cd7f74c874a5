<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Closure;
use Headroom\Console\BaseCommand;
use Headroom\Console\JsonOutput;
use Headroom\Console\SelfCommand;
use Headroom\Core\Clock;
use Headroom\Doctor\Check;
use Headroom\Doctor\Diagnosis;
use Headroom\Doctor\Examination;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Live\LiveDiagnosis;
use Headroom\Doctor\RulePage;
use Headroom\Doctor\Severity;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\SignalableCommandInterface;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\NullOutput;
use Symfony\Component\Console\Output\OutputInterface;

use function array_filter;
use function array_map;
use function array_merge;
use function array_values;
use function defined;
use function explode;
use function implode;
use function is_array;
use function is_string;

/**
 * @internal
 */
#[AsCommand(name: 'doctor', description: 'Find what makes this stack stall, and say how to mend it')]
final class DoctorCommand extends BaseCommand implements SignalableCommandInterface
{
    private ?LiveRun $live = null;

    /**
     * @param Closure(): list<Check> $checks
     * @param Closure(array<class-string, Closure(Facts): object>): Facts $facts gets probes that go before its own
     * @param list<string> $load the program and its command that sends load
     */
    public function __construct(
        private readonly Closure $checks,
        private readonly Closure $facts,
        private readonly Clock $clock,
        private readonly array $load,
    ) {
        parent::__construct();
    }

    public function configure(): void
    {
        ServerOptions::define($this);
        LiveOptions::addTo($this);
        $this->addOption(
            'only',
            null,
            InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
            'Ask these checks and no other, such as N5',
        )
            ->addOption(
                'ignore',
                null,
                InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                'Leave out a check, such as N5, or one thing it is about: "N5 upstream php"',
            )
            ->addOption('baseline', null, InputOption::VALUE_REQUIRED, 'Leave out what this file names')
            ->addOption(
                'write-baseline',
                null,
                InputOption::VALUE_REQUIRED,
                'Write what is found now to this file, as known',
            )
            ->addOption(
                'since',
                null,
                InputOption::VALUE_REQUIRED,
                'Say what has come and gone since this file, which --json printed',
            )
            ->addOption(
                'fail-on',
                null,
                InputOption::VALUE_REQUIRED,
                'The least severity that ends with 1: critical, high, medium, low, info, never',
                'high',
            )
            ->addOption(
                'output',
                null,
                InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                'Write it to this file as well: .json, .html, .sarif',
            )
            ->addOption(
                'explain',
                null,
                InputOption::VALUE_REQUIRED,
                'Print what a check is about, such as N5, and look at nothing',
            )
            ->addOption('all', null, InputOption::VALUE_NONE, 'Show also what is well, and what does not apply')
            ->addJsonOption()
            ->setHelp(
                'Reads configurations and counters, and changes nothing; '
                .'only --url sends load, and to that address only. '
                .'What cannot be read without root is unknown, with the command that would tell. '
                .'Exit codes: 0 nothing as severe as --fail-on was found, 1 something was, 2 wrong usage, '
                .'or nothing of a stack was found to examine (not with --fail-on=never).',
            );
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $explain = self::text($input, 'explain');

        if ($explain !== null) {
            $output->write((new RulePage($this->check($explain)->rule()))->text(), false, OutputInterface::OUTPUT_RAW);

            return self::SUCCESS;
        }

        $failOn = $this->severity($input);
        $baseline = $this->baseline($input);
        $since = self::text($input, 'since');
        $before = $since === null ? null : PreviousReport::fromFile($since);
        $outputs = new DoctorOutputs(self::list($input, 'output'), $this->clock);
        $started = $this->clock->monotonicNanos();
        $this->live = $this->live($input, $output);
        $facts = ($this->facts)(ServerOptions::probes($input));
        $diagnosis = (new Examination($this->chosen($input)))->of($facts);
        $looked = LookedFor::in($facts, $diagnosis, SelfCommand::directory(), $this->typed());
        $live = $this->live?->diagnosis($facts, $started);
        $diagnosis = $live === null ? $diagnosis : $diagnosis->supportedBy($live->supported());
        $written = self::text($input, 'write-baseline');

        if ($written !== null) {
            Baseline::of($diagnosis)->writeTo($written);
        }

        $diagnosis = $diagnosis->without(array_merge($baseline->keys, self::list($input, 'ignore')));

        $changes = $before?->changes($diagnosis);
        $document = ($live === null ? [] : ['live' => $live->document($diagnosis)])
            + $diagnosis->toArray()
            + ['looked_for' => $looked->toArray()]
            + ($changes === null ? [] : ['since' => $changes]);
        $outputs->write($diagnosis, $document, $live);

        if (self::isJson($input)) {
            (new JsonOutput($output))->print($document);
        } else {
            $report = new DoctorReport($diagnosis, $input->getOption('all') === true);
            $words = $live === null ? [] : (new LiveReport($live, $diagnosis))->lines();
            array_push($words, ...$looked->lines(), ...$report->lines());
            array_push($words, ...($changes === null ? [] : $report->changes($changes)));
            $output->writeln($words, OutputInterface::OUTPUT_RAW);
        }

        return self::code($failOn, $diagnosis, $live, $looked);
    }

    private static function code(?Severity $failOn, Diagnosis $diagnosis, ?LiveDiagnosis $live, LookedFor $looked): int
    {
        return match (true) {
            $failOn === null => self::SUCCESS,
            $diagnosis->problems($failOn) !== [] => self::FAILURE,
            $live?->cause->severity->isAtLeast($failOn) === true => self::FAILURE,
            // A doctor that has examined nothing does not say that all is well.
            $live === null && $looked->isNothing() => self::INVALID,
            default => self::SUCCESS,
        };
    }

    /** This command as it is typed. */
    private function typed(): string
    {
        return $this->getName() === 'doctor' ? 'headroom doctor' : "php artisan {$this->getName()}";
    }

    /** @return list<int> */
    public function getSubscribedSignals(): array
    {
        return defined('SIGTERM') ? [SIGTERM, SIGINT] : [];
    }

    /** While it looks the load ends and what was seen is told; before and after there is nothing to wait for. */
    public function handleSignal(int $signal, int|false $previousExitCode = 0): int|false
    {
        return $this->live?->stop() === true ? false : 128 + $signal;
    }

    private function live(InputInterface $input, OutputInterface $output): ?LiveRun
    {
        $options = LiveOptions::of($input);

        if ($options === null) {
            return null;
        }

        $run = new LiveRun(
            $options,
            $this->clock,
            $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : new NullOutput,
            $this->load,
        );
        $run->mustBeAllowed($input);

        return $run;
    }

    /** @return list<Check> */
    private function chosen(InputInterface $input): array
    {
        foreach (self::list($input, 'ignore') as $key) {
            $this->check(explode(' ', $key)[0]);
        }

        $only = array_filter(
            array_map(
                static fn (string $id): string => strtoupper(trim($id)),
                explode(',', implode(',', self::list($input, 'only'))),
            ),
            static fn (string $id): bool => $id !== '',
        );

        return $only === [] ? ($this->checks)() : array_map($this->check(...), array_values($only));
    }

    private function check(string $id): Check
    {
        foreach (($this->checks)() as $check) {
            if ($check->rule()->id === $id) {
                return $check;
            }
        }

        $ids = array_map(static fn (Check $check): string => $check->rule()->id, ($this->checks)());
        natsort($ids);

        throw new InvalidOptionException("There is no check '{$id}'. There are ".implode(', ', $ids).'.');
    }

    private function severity(InputInterface $input): ?Severity
    {
        $given = self::text($input, 'fail-on') ?? '';

        if ($given === 'never') {
            return null;
        }

        return Severity::tryFrom($given) ?? throw new InvalidOptionException(
            "--fail-on is '{$given}', and must be one of "
                .implode(', ', array_map(static fn (Severity $severity): string => $severity->value, Severity::cases()))
                .' and never.',
        );
    }

    private function baseline(InputInterface $input): Baseline
    {
        $file = self::text($input, 'baseline');

        return $file === null ? new Baseline([]) : Baseline::fromFile($file);
    }

    private static function text(InputInterface $input, string $option): ?string
    {
        $value = $input->getOption($option);

        return is_string($value) ? $value : null;
    }

    /** @return list<string> */
    private static function list(InputInterface $input, string $option): array
    {
        $values = $input->getOption($option);

        return is_array($values) ? array_values(array_filter($values, is_string(...))) : [];
    }
}
