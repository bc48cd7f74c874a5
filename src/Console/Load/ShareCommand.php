<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Console\BaseCommand;
use Headroom\Core\Clock;
use Headroom\Load\Generator;
use Headroom\Load\InvalidPlan;
use Headroom\Load\Share;
use Headroom\Load\UnableToLoad;
use Headroom\Load\UnableToReach;
use Headroom\Load\Workers\Message;
use Headroom\Load\Workers\MessageType;
use Headroom\Load\Workers\ProgressSender;
use Headroom\Load\Workers\ResultCodec;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\SignalableCommandInterface;
use Symfony\Component\Console\Input\ArrayInput;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * One process of `load --processes`, which starts this command.
 *
 * @internal
 */
#[AsCommand(
    name: 'load:share',
    description: 'Run one process of load --processes, which starts this itself',
    hidden: true,
)]
final class ShareCommand extends BaseCommand implements SignalableCommandInterface
{
    public function __construct(private readonly Generator $generator, private readonly Clock $clock)
    {
        parent::__construct();
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $line = new ProgressSender(STDIN, STDOUT, $this->generator->stop(...));
        $job = $line->hear();

        if ($job === null || ! is_array($job->content)) {
            $output->writeln(
                'This command is a part of load --processes=N, which starts it.',
                OutputInterface::OUTPUT_RAW,
            );

            return self::INVALID;
        }

        try {
            $this->share($line, new WorkerAssignment($job->content));
        } catch (UnableToReach $e) {
            $line->say(new Message(MessageType::NoServer, $e->getMessage()));

            return self::FAILURE;
        } catch (InvalidPlan|UnableToLoad $e) {
            $line->say(new Message(MessageType::Fault, $e->getMessage()));

            return self::FAILURE;
        }

        return self::SUCCESS;
    }

    /** @return list<int> */
    public function getSubscribedSignals(): array
    {
        return defined('SIGTERM') ? [SIGTERM, SIGINT] : [];
    }

    /** Ctrl-C in a terminal signals all processes, and each still reports its result. */
    public function handleSignal(int $signal, int|false $previousExitCode = 0): int|false
    {
        $this->generator->stop();

        return false;
    }

    private function share(ProgressSender $line, WorkerAssignment $job): void
    {
        $options = new LoadOptions(new ArrayInput(
            $job->input,
            (new LoadCommand($this->generator, $this->clock, []))->getDefinition(),
        ));
        $plan = $options->plan();
        $source = $options->workload($plan)->source;
        $share = Share::of($job->index, $job->processes);
        $outputs = $options->outputs();
        $observer = $outputs->shared($plan, $this->clock, $job->index + 1);
        Generator::demandFiles($plan, $share);
        $line->say(new Message(MessageType::Ready));
        $start = $line->hear()?->content;

        if (! is_int($start)) {
            return;
        }

        $measured = $this->generator->measure($plan, $source, $share, $observer, $line, $start, true);

        foreach ($outputs->close() as $fault) {
            $line->say(new Message(MessageType::Fault, $fault));
        }

        $line->say(new Message(MessageType::Measurement, ResultCodec::ofMeasurement($measured)));
    }
}
