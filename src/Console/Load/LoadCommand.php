<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Console\BaseCommand;
use Headroom\Console\CommandGuard;
use Headroom\Console\Prompt;
use Headroom\Console\TerminalStyles;
use Headroom\Core\Clock;
use Headroom\Load\ExecutionSegment;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\InvalidPlan;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Plan;
use Headroom\Load\Target;
use Headroom\Load\Transport\ConnectionCheck;
use Headroom\Load\UnableToLoad;
use Headroom\Load\UnableToReach;
use Headroom\Load\Workers\WorkerPool;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\SignalableCommandInterface;
use Symfony\Component\Console\Exception\ExceptionInterface;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputDefinition;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Style\SymfonyStyle;

/**
 * @internal
 */
#[AsCommand(name: 'load', description: 'Send HTTP requests to a URL and measure the responses')]
final class LoadCommand extends BaseCommand implements SignalableCommandInterface
{
    private const CROSSED_THRESHOLD = 3;

    private const NO_SERVER = 4;

    private const BAD_REQUEST = 400;

    private ?WorkerPool $pool = null;

    private bool $hasBegun = false;

    private bool $isDescribed = false;

    private bool $isHelp = false;

    /** @param list<string> $share the command line that starts one process of --processes */
    public function __construct(
        private readonly LoadGenerator $generator,
        private readonly Clock $clock,
        private readonly array $share,
    ) {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->setDefinition(LoadDefinition::own())->setHelp(LoadHelp::text(LoadDefinition::own()));
    }

    /** @param bool $mergeArgs false if Symfony is about to describe the command */
    public function mergeApplicationDefinition(bool $mergeArgs = true): void
    {
        $this->isDescribed = ! $mergeArgs;
        $this->isHelp = false;
    }

    /** Only Symfony's text descriptor, which prints --help, asks for the short synopsis. */
    public function getSynopsis(bool $short = false): string
    {
        $this->isHelp = $this->isDescribed && $short;

        return parent::getSynopsis($short);
    }

    public function getDefinition(): InputDefinition
    {
        $own = $this->getNativeDefinition();
        $general = $this->getApplication()?->getDefinition();

        return match (true) {
            // The help text already lists the options in groups.
            $this->isHelp => new InputDefinition($own->getArguments()),
            $this->isDescribed => LoadDefinition::within($own, [], $general?->getOptions() ?? []),
            default => LoadDefinition::within($own, $general?->getArguments() ?? [], $general?->getOptions() ?? []),
        };
    }

    public function attempt(InputInterface $input, OutputInterface $output): int
    {
        // For every other command -n means --no-interaction, and Symfony has applied that.
        if ($input->hasParameterOption('-n', true) && ! $input->hasParameterOption('--no-interaction', true)) {
            $input->setInteractive(true);
        }

        try {
            return parent::attempt($input, $output);
        } catch (ExceptionInterface $e) {
            $message = UnknownOption::explain($e->getMessage(), $this->getNativeDefinition());

            return $this->errors($input, $output)->usageError($message);
        }
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;

        try {
            $options = new LoadOptions($input);
            $plan = $options->plan();
            $thresholds = $options->thresholds($plan);
            $workload = $options->workload($plan);
            $outputs = $options->outputs();
            $this->demandPermission($workload->targets, $input, $errors);
            (new ConnectionCheck($this->clock))->demandServers($workload->targets, $plan);
            $report = new LoadReport($workload, $plan, $thresholds, $this->clock);
            $errors->writeln(OutputFormatter::escape($report->announcement()));
            $result = $this->send($workload, $plan, $outputs, $input, new ProgressLine($errors, $plan));
        } catch (UnableToReach $e) {
            return $this->errors($input, $output)->refuse($e->getMessage(), self::NO_SERVER);
        } catch (InvalidPlan|UnableToLoad $e) {
            return $this->errors($input, $output)->usageError($e->getMessage());
        }

        $this->print($report, $result, self::isJson($input), $output);

        foreach ($report->warnings($result) as $warning) {
            $errors->writeln(
                TerminalStyles::of($errors)->apply('warning', TerminalText::line($warning)),
                OutputInterface::OUTPUT_RAW,
            );
        }

        if ($this->isOfTls($workload->targets, $result)) {
            TerminalStyles::print(
                $errors,
                ['Every response is 400, and the port speaks TLS: use https://.'],
                ['/^/' => 'warning'],
            );
        }

        // Several processes often fail for one reason, such as a full disk.
        $faults = array_values(array_unique([
            ...$outputs->write($report, $result),
            ...($this->pool?->faults() ?? []),
            ...$report->losses($result),
            ...$report->breaches($result),
        ]));

        foreach ($faults as $fault) {
            (new CommandGuard($output))->error($fault);
        }

        return match (true) {
            $report->breaches($result) !== [] => self::CROSSED_THRESHOLD,
            $result->succeeded() > 0 && $faults === [] => self::SUCCESS,
            default => self::FAILURE,
        };
    }

    /** @param list<Target> $targets */
    private function isOfTls(array $targets, LoadResult $result): bool
    {
        return array_keys($result->statuses) === [self::BAD_REQUEST] && count($targets) === 1 && ! $targets[0]->isTls
            && (new ConnectionCheck($this->clock))->speaksTls($targets[0]);
    }

    private function send(
        Workload $workload,
        Plan $plan,
        LoadOutputs $outputs,
        InputInterface $input,
        ProgressLine $progress,
    ): LoadResult {
        $listener = $progress->isShown() ? $progress : null;
        $observer = $outputs->observer($plan, $this->clock);
        $this->hasBegun = true;

        try {
            if ($workload->processes === 1) {
                $this->pool = null;

                $share = ExecutionSegment::whole();

                return LoadResult::of($plan, [
                    $this->generator->measure($plan, $workload->source, $share, $observer, $listener, null, true),
                ]);
            }

            $this->pool = new WorkerPool($this->share, $this->clock);

            return $this->pool->run(
                $plan,
                WorkerAssignment::contents($input, $this->getNativeDefinition(), $workload->processes),
                $listener,
            );
        } finally {
            $progress->end();
        }
    }

    /** @return list<int> */
    public function getSubscribedSignals(): array
    {
        return defined('SIGTERM') ? [SIGTERM, SIGINT] : [];
    }

    public function handleSignal(int $signal, int|false $previousExitCode = 0): int|false
    {
        // Before the first request there is no result to print.
        if (! $this->hasBegun) {
            return 128 + $signal;
        }

        $this->generator->stop();
        $this->pool?->stop();

        return false;
    }

    /** @param list<Target> $targets */
    private function demandPermission(array $targets, InputInterface $input, OutputInterface $errors): void
    {
        $confirmed = [];

        foreach ($targets as $target) {
            if (
                $target->isLoopback()
                || $input->getOption('allow-remote') === true
                || isset($confirmed[$target->host])
            ) {
                continue;
            }

            $confirmed[$target->host] = Prompt::isPossible($input)
                    && (new SymfonyStyle($input, $errors))->confirm(
                        "{$target->host} is not this machine. Are you allowed to send load to it?",
                        false,
                    )
                ? true
                : throw InvalidPlan::remote($target->host);
        }
    }

    private function print(LoadReport $report, LoadResult $result, bool $asJson, OutputInterface $output): void
    {
        $lines = $asJson
            ? [$report->json($result)]
            : TerminalStyles::of($output)->paint($report->lines($result), LoadReport::STYLES);
        $output->writeln($lines, OutputInterface::OUTPUT_RAW);
    }
}
