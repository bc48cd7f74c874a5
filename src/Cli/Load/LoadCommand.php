<?php

declare(strict_types=1);

namespace Headroom\Cli\Load;

use Headroom\Cli\Spool\Usage;
use Headroom\Cli\Terminal;
use Headroom\Core\Clock;
use Headroom\Load\Generator;
use Headroom\Load\Http\Probe;
use Headroom\Load\InvalidPlan;
use Headroom\Load\LoadResult;
use Headroom\Load\Plan;
use Headroom\Load\Processes\Crew;
use Headroom\Load\Share;
use Headroom\Load\Target;
use Headroom\Load\UnableToLoad;
use Headroom\Load\UnableToReach;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Command\SignalableCommandInterface;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Style\SymfonyStyle;

/**
 * @internal
 */
#[AsCommand(name: 'load', description: 'Send HTTP requests to a URL and measure the answers')]
final class LoadCommand extends Command implements SignalableCommandInterface
{
    private const BROKEN_THRESHOLD = 3;

    private const NO_SERVER = 4;

    private ?Crew $crew = null;

    private bool $hasBegun = false;

    /** @param list<string> $share the command line of one process of --processes */
    public function __construct(private readonly Generator $generator, private readonly Clock $clock, private readonly array $share)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addArgument('url', InputArgument::REQUIRED, 'Where to send the requests')
            ->addOption('samples', null, InputOption::VALUE_REQUIRED, 'Send so many requests')
            ->addOption('duration', null, InputOption::VALUE_REQUIRED, 'Send for so many seconds; 10 unless --samples is given')
            ->addOption('concurrency', 'c', InputOption::VALUE_REQUIRED, 'Users, each with one request in flight at a time, '.Plan::DEFAULT_CONCURRENCY.'; with a rate, the most in flight, '.Plan::DEFAULT_IN_FLIGHT)
            ->addOption('rate', null, InputOption::VALUE_REQUIRED, 'Begin so many requests per second, whatever has been answered')
            ->addOption('ramp', null, InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY, "Go from so many users to so many: '0:100:30' for 30 seconds; with '0/s:100/s:30' requests per second")
            ->addOption('processes', null, InputOption::VALUE_REQUIRED, 'Send from so many processes, which share users, requests and rate; as few as can have so many connections unless given')
            ->addOption('scenario', null, InputOption::VALUE_REQUIRED, 'Let each user go through the steps in this JSON file; --samples and --rate then count iterations')
            ->addOption('replay', null, InputOption::VALUE_REQUIRED, 'Send the GET and HEAD requests of this access log, when they came')
            ->addOption('speed', null, InputOption::VALUE_REQUIRED, "How many times as fast as they came: 10, or 'max' for users who do not wait; 1 unless given")
            ->addOption('timeout', null, InputOption::VALUE_REQUIRED, 'Seconds after which a request is given up', (string) Plan::DEFAULT_TIMEOUT)
            ->addOption('pause', null, InputOption::VALUE_REQUIRED, 'Milliseconds that each user waits after an answer; 0 unless given')
            ->addOption('method', null, InputOption::VALUE_REQUIRED, 'GET, or POST when there is a body')
            ->addOption('body', null, InputOption::VALUE_REQUIRED, 'The body; {{n}}, {{uuid}} and {{random:A-B}} are replaced in each request')
            ->addOption('body-file', null, InputOption::VALUE_REQUIRED, 'Read the body from this file')
            ->addOption('header', 'H', InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY, "Add 'Name: value'")
            ->addOption('fail-from', null, InputOption::VALUE_REQUIRED, 'The lowest status that is an error; 400 unless given')
            ->addOption('expect-status', null, InputOption::VALUE_REQUIRED, "The statuses that are none, such as '200,302'")
            ->addOption('expect-body', null, InputOption::VALUE_REQUIRED, 'A text without which an answer is wrong')
            ->addOption('fail-if', null, InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY, "End with 3 when 'error_rate>1%', 'p95>500ms', 'requests_per_second<100' or the like")
            ->addOption('insecure', null, InputOption::VALUE_NONE, 'Accept a certificate that cannot be verified')
            ->addOption('i-own-this-host', null, InputOption::VALUE_NONE, 'Send to a host that is not this machine, without being asked')
            ->addOption('output', null, InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY, 'Write the result to a file: .json, .html (a report), .jtl (each request, for JMeter) or .hgrm (percentiles)')
            ->addOption('json', null, InputOption::VALUE_NONE, 'Print the result as JSON')
            ->setHelp('Ctrl-C ends the run early and still prints the result. Exit codes: 0 it ran, 1 no request succeeded, a file was not written or a process was lost, 2 wrong usage, 3 a figure is as --fail-if says.');
    }

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new Usage($output, $input))->guard(fn (): int => parent::run($input, $output));
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
            $this->demandLeave($workload->targets, $input, $errors);
            (new Probe($this->clock))->demandServers($workload->targets, $plan);
            $report = new LoadReport($workload, $plan, $thresholds, $this->clock);
            $errors->writeln(OutputFormatter::escape($report->announcement()));
            $result = $this->send($workload, $plan, $outputs, $input, new ProgressLine($errors, $plan));
        } catch (UnableToReach $e) {
            return (new Usage($output, $input))->refuse($e->getMessage(), self::NO_SERVER);
        } catch (InvalidPlan|UnableToLoad $e) {
            return (new Usage($output, $input))->misuse($e->getMessage());
        }

        $this->print($report, $result, $input->getOption('json') === true, $output);

        foreach ($report->warnings($result) as $warning) {
            $errors->writeln('<comment>'.OutputFormatter::escape($warning).'</comment>');
        }

        // What several processes could not do is often one thing, such as a line in a file on a full disk.
        $faults = array_values(array_unique([...$outputs->write($report, $result), ...($this->crew?->faults() ?? []), ...$report->losses($result), ...$report->breaches($result)]));

        foreach ($faults as $fault) {
            $errors->writeln('<error>'.OutputFormatter::escape($fault).'</error>');
        }

        return match (true) {
            $report->breaches($result) !== [] => self::BROKEN_THRESHOLD,
            $result->succeeded() > 0 && $faults === [] => self::SUCCESS,
            default => self::FAILURE,
        };
    }

    private function send(Workload $workload, Plan $plan, Outputs $outputs, InputInterface $input, ProgressLine $progress): LoadResult
    {
        $watcher = $progress->isShown() ? $progress : null;
        $observer = $outputs->observer($plan, $this->clock);
        $this->hasBegun = true;

        try {
            if ($workload->processes === 1) {
                $this->crew = null;

                return LoadResult::of($plan, [$this->generator->measure($plan, $workload->source, Share::whole(), $observer, $watcher, null, true)]);
            }

            $this->crew = new Crew($this->share, $this->clock);

            return $this->crew->run($plan, SharedJob::contents($input, $this->getNativeDefinition(), $workload->processes), $watcher);
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
        // Who reads a long log, or asks whether it may, has no result yet that could be told.
        if (! $this->hasBegun) {
            return 128 + $signal;
        }

        $this->generator->stop();
        $this->crew?->stop();

        return false;
    }

    /** @param list<Target> $targets */
    private function demandLeave(array $targets, InputInterface $input, OutputInterface $errors): void
    {
        $asked = [];

        foreach ($targets as $target) {
            if ($target->isLoopback() || $input->getOption('i-own-this-host') === true || isset($asked[$target->host])) {
                continue;
            }

            $asked[$target->host] = Terminal::answers($input) && (new SymfonyStyle($input, $errors))->confirm("{$target->host} is not this machine. Are you allowed to put load on it?", false)
                ? true
                : throw InvalidPlan::notOurs($target->host);
        }
    }

    private function print(LoadReport $report, LoadResult $result, bool $asJson, OutputInterface $output): void
    {
        foreach ($asJson ? [$report->json($result)] : $report->lines($result) as $line) {
            $output->writeln($line, OutputInterface::OUTPUT_RAW);
        }
    }
}
