<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Closure;
use Headroom\Console\BaseCommand;
use Headroom\Console\CurrentProgram;
use Headroom\Console\JsonOutput;
use Headroom\Console\TerminalStyles;
use Headroom\Core\Clock;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Runner\CommandNames;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\SignalableCommandInterface;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\NullOutput;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'doctor', description: 'Find the bottleneck of this stack, and show how to fix it')]
final class DoctorCommand extends BaseCommand implements SignalableCommandInterface
{
    private ?UnderLoadRun $underLoad = null;

    /**
     * @param Closure(): CheckList $checks
     * @param Closure(array<class-string, Closure(Facts): object>): Facts $facts its argument has precedence over its
     *     own probes
     * @param list<string> $load the command line of the load generator
     * @param ?Closure(array<string, mixed>): void $save keeps the report of a run of all checks, for the dashboard
     */
    public function __construct(
        private readonly Closure $checks,
        private readonly Closure $facts,
        private readonly Clock $clock,
        private readonly array $load,
        private readonly ?Closure $save = null,
    ) {
        parent::__construct();
    }

    public function configure(): void
    {
        ServerOptions::define($this);
        UnderLoadOptions::addTo($this);
        $this->addOption(
            'only',
            null,
            InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
            'Run only these checks, such as N5',
        )
            ->addOption(
                'ignore',
                null,
                InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                'Leave out a check, such as N5, or one subject of it, such as "N5 upstream php"',
            )
            ->addOption('baseline', null, InputOption::VALUE_REQUIRED, 'Leave out the problems that this file lists')
            ->addOption(
                'write-baseline',
                null,
                InputOption::VALUE_REQUIRED,
                'Write the problems found now to this file, for --baseline',
            )
            ->addOption(
                'fail-on',
                null,
                InputOption::VALUE_REQUIRED,
                'Lowest severity that exits with 1: critical, high, medium, low, info or never',
                'high',
            )
            ->addOption(
                'output',
                null,
                InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                'Also write the report to this file: .json or .html',
            )
            ->addOption(
                'explain',
                null,
                InputOption::VALUE_REQUIRED,
                'Explain one check, such as N5, without running any',
            )
            ->addOption('all', null, InputOption::VALUE_NONE, 'Also show the checks that passed or do not apply')
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command examines nginx, PHP-FPM, opcache, the kernel, Redis, the
                database and the application on this machine. It changes nothing, and sends requests only with --url,
                and only to that address.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --only=N5 --json</info>
                    <info>php %command.full_name% --url=http://127.0.0.1:8000/</info>

                A check that needs root is reported as unknown, together with the command that answers it.

                Exit codes:

                  0  no problem of the severity --fail-on or higher
                  1  there is such a problem
                  2  wrong usage, or there is no part of a stack to examine (not with --fail-on=never)
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $explain = self::text($input, 'explain');

        if ($explain !== null) {
            $text = ($this->checks)()->text($this->known($explain));
            $output->write($text->markdown(), false, OutputInterface::OUTPUT_RAW);

            return self::SUCCESS;
        }

        $failOn = $this->severity($input);
        $baseline = $this->baseline($input);
        $paths = self::list($input, 'output');
        $outputs = $paths === [] ? null : new DoctorOutputs($paths, $this->clock);
        $started = $this->clock->monotonicNanos();
        $this->underLoad = $this->underLoad($input, $output);
        $facts = ($this->facts)(ServerOptions::probes($input));
        $commands = $this->getName() === 'doctor' ? new CommandNames : new CommandNames('php artisan headroom:');
        $doctor = $commands->in('headroom doctor');
        $report = (new CheckRunner($this->chosen($input), $commands))->run($facts);
        $discovery = StackDiscovery::in($facts, $report, CurrentProgram::directory(), $doctor);
        $underLoad = $this->underLoad?->diagnosis($facts, $started)->withUserCommands($commands->in(...));
        $report = $underLoad === null
            ? $report
            : $report->supportedBy($underLoad->sentenceByCheck(), "{$doctor} --url");
        $written = self::text($input, 'write-baseline');

        if ($written !== null) {
            Baseline::of($report)->writeTo($written);
        }

        $report = $report->without(array_merge($baseline->keys, self::list($input, 'ignore')));
        $document = ($underLoad === null ? [] : ['live' => $underLoad->document($report)])
            + $report->toArray()
            + ['looked_for' => $discovery->toArray()];
        $outputs?->write($report, $document, $underLoad);
        self::list($input, 'only') === [] && $this->save !== null ? ($this->save)($document) : null;

        if (self::isJson($input)) {
            (new JsonOutput($output))->print($document);
        } else {
            $styles = TerminalStyles::of($output);
            $printed = new DoctorReport($report, $input->getOption('all') === true, $styles);
            $lines = $underLoad === null ? [] : (new UnderLoadReport($underLoad, $report, $styles))->lines();
            $output->writeln([...$lines, ...$discovery->lines(), ...$printed->lines()], OutputInterface::OUTPUT_RAW);
        }

        return self::code($failOn, $report, $underLoad, $discovery);
    }

    private static function code(
        ?Severity $failOn,
        Report $report,
        ?LoadDiagnosis $underLoad,
        StackDiscovery $discovery,
    ): int {
        return match (true) {
            $failOn === null => self::SUCCESS,
            $report->problems($failOn) !== [] => self::FAILURE,
            $underLoad?->cause->severity->isAtLeast($failOn) === true => self::FAILURE,
            // If nothing could be examined, the result must not look healthy.
            $underLoad === null && $discovery->isNothing() => self::INVALID,
            default => self::SUCCESS,
        };
    }

    /** @return list<int> */
    public function getSubscribedSignals(): array
    {
        return defined('SIGTERM') ? [SIGTERM, SIGINT] : [];
    }

    /** During a run under load, a signal ends the load and the report is still printed. At any other time it exits. */
    public function handleSignal(int $signal, int|false $previousExitCode = 0): int|false
    {
        return $this->underLoad?->stop() === true ? false : 128 + $signal;
    }

    private function underLoad(InputInterface $input, OutputInterface $output): ?UnderLoadRun
    {
        $options = UnderLoadOptions::of($input);

        if ($options === null) {
            return null;
        }

        $run = new UnderLoadRun(
            $options,
            $this->clock,
            $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : new NullOutput,
            $this->load,
        );
        $run->mustBeAllowed($input);

        return $run;
    }

    private function chosen(InputInterface $input): CheckList
    {
        foreach (self::list($input, 'ignore') as $key) {
            $this->known(explode(' ', $key)[0]);
        }

        $only = array_filter(
            array_map(
                static fn (string $id): string => strtoupper(trim($id)),
                explode(',', implode(',', self::list($input, 'only'))),
            ),
            static fn (string $id): bool => $id !== '',
        );
        $checks = ($this->checks)();

        return $only === [] ? $checks : $checks->only(array_map($this->known(...), array_values($only)));
    }

    /** @throws InvalidOptionException if there is no check of that id */
    private function known(string $id): string
    {
        $checks = ($this->checks)();

        if ($checks->has($id)) {
            return $id;
        }

        $ids = $checks->ids();
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
            "--fail-on is '{$given}'. It must be one of "
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
