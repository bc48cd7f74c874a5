<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Console\BaseCommand;
use Headroom\Core\Clock;
use Headroom\Load\ExecutionSegment;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\InvalidPlan;
use Headroom\Load\UnableToLoad;
use Headroom\Load\UnableToReach;
use Headroom\Load\Workers\MessageType;
use Headroom\Load\Workers\ProgressSender;
use Headroom\Load\Workers\ResultCodec;
use Headroom\Process\Supervision\Channel;
use Headroom\Process\Supervision\WorkerProcess;
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
    name: 'load:worker',
    description: 'Run one process of load --processes, which starts this itself',
    hidden: true,
)]
final class LoadWorkerCommand extends BaseCommand implements SignalableCommandInterface
{
    public function __construct(private readonly LoadGenerator $generator, private readonly Clock $clock)
    {
        parent::__construct();
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $supervisor = Channel::inherited();
        $assignment = $supervisor?->next()?->content;

        if ($supervisor === null || ! is_array($assignment)) {
            return $this->errors($input, $output)->usageError(
                'load --processes=N starts this command. Run load instead.',
            );
        }

        try {
            $this->share($supervisor, new WorkerAssignment($assignment));
        } catch (UnableToReach $e) {
            $supervisor->send(MessageType::NoServer->value, $e->getMessage());

            return self::FAILURE;
        } catch (InvalidPlan|UnableToLoad $e) {
            $supervisor->send(MessageType::Failure->value, $e->getMessage());

            return self::FAILURE;
        } finally {
            $supervisor->flushAll();
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

    private function share(Channel $supervisor, WorkerAssignment $assignment): void
    {
        $options = new LoadOptions(new ArrayInput(
            $assignment->input,
            (new LoadCommand($this->generator, $this->clock, []))->getDefinition(),
        ));
        $plan = $options->plan();
        $source = $options->workload($plan)->source;
        $share = ExecutionSegment::of($assignment->index, $assignment->processes);
        $outputs = $options->outputs();
        $observer = $outputs->shared($plan, $this->clock, $assignment->index + 1);
        LoadGenerator::requireDescriptors($plan, $share);
        $supervisor->send(WorkerProcess::READY);
        $start = $supervisor->next()?->content;

        if (! is_int($start)) {
            return;
        }

        $progress = new ProgressSender($supervisor, $this->generator->stop(...));
        $measured = $this->generator->measure($plan, $source, $share, $observer, $progress, $start, true);

        foreach ($outputs->close() as $fault) {
            $supervisor->send(MessageType::Failure->value, $fault);
        }

        $supervisor->send(MessageType::Result->value, ResultCodec::encodeMeasurement($measured));
    }
}
