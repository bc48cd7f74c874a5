<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\CommandGuard;
use Headroom\Console\JsonOutput;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Pause;
use Headroom\Spool\Services\PauseSwitch;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:pause', description: 'Stop the delivery of a bucket; it still accepts events')]
final class PauseCommand extends SpoolCommand
{
    /** A batch takes milliseconds. If it takes longer, the sink hangs. */
    private const PATIENCE_MICROS = 10_000_000;

    private const LOOK_MICROS = 50_000;

    public function configure(): void
    {
        $this->addArgument(
            'bucket',
            InputArgument::OPTIONAL,
            'Only this bucket; by default all buckets that are declared or hold events',
        )
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command stops the delivery of buckets, for a migration, a restored
                database or a sink under repair. The buckets still accept events. The pause holds for every process of
                this machine, for a bucket in Redis on every machine, until <info>spool:resume</info>.

                    <info>php %command.full_name% api-events</info>
                    <info>php %command.full_name%</info>

                The command waits up to ten seconds for a batch that is being delivered.

                Exit codes:

                  0  the delivery has stopped
                  1  a bucket could not be paused, or a batch is still being delivered
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $asked = $input->getArgument('bucket');
        $buckets = (new BucketArgument($this->spool))->known($asked);
        $isJson = self::isJson($input);
        [$lines, $paused, $failed, $new] = $this->pause($buckets);
        // If Redis does not answer, it is not known which other buckets it holds.
        $failed += is_string($asked) ? [] : $this->spool->stores()->paused()->unknown;

        if (! $isJson) {
            $output->writeln(
                $buckets === [] && $failed === []
                    ? ['No bucket is declared under spool.buckets, and nothing has been buffered.']
                    : array_map(OutputFormatter::escape(...), $lines),
            );
        }

        $flushing = $this->flushingAfterWait(array_map(strval(...), array_keys($paused)));

        if ($isJson) {
            (new JsonOutput($output))->print([
                'ok' => $flushing === [] && $failed === [],
                'buckets' => array_map(
                    static fn (int|string $name, ?Pause $pause): array => [
                        'bucket' => (string) $name,
                        'paused' => $pause?->toArray(),
                        'delivering' => isset($flushing[$name]),
                        'pid' => ($flushing[$name] ?? 0) === 0 ? null : $flushing[$name],
                    ],
                    array_keys($paused),
                    $paused,
                ),
                'failed' => array_map(
                    static fn (int|string $name, string $why): array => ['bucket' => (string) $name, 'error' => $why],
                    array_keys($failed),
                    $failed,
                ),
            ]);
        } else {
            $this->printErrors($flushing, $failed, $output);
        }

        // A listener may take its time; all buckets are paused by now.
        foreach ($new as $name) {
            (new PauseSwitch($this->spool))->notifyPaused($name);
        }

        return $flushing === [] && $failed === [] ? self::SUCCESS : self::FAILURE;
    }

    /**
     * @param list<string> $buckets
     * @return array{list<string>, array<array-key, ?Pause>, array<array-key, string>, list<string>} lines to print;
     *     paused buckets; the errors of the others; buckets that were not paused before
     */
    private function pause(array $buckets): array
    {
        $lines = $paused = $failed = $new = [];

        foreach ($buckets as $name) {
            try {
                $pauses = $this->spool->stores()->pauses($name);
                $isNew = (new PauseSwitch($this->spool))->pause($name);
                $new = $isNew ? [...$new, $name] : $new;
                $pause = $paused[$name] = $pauses->of($name);
                $lines[] = $isNew || $pause === null ? "{$name}: paused" : "{$name}: {$pause->words()} already";
            } catch (HeadroomException $e) {
                $failed[$name] = $e->getMessage();
            }
        }

        return [$lines, $paused, $failed, $new];
    }

    /**
     * @param list<string> $buckets
     * @return array<string, int> pid of the process that still delivers the bucket; 0 if it is not known
     */
    private function flushingAfterWait(array $buckets): array
    {
        $clock = $this->spool->clock();
        $stores = $this->spool->stores();
        $deadline = $clock->monotonicNanos() + 1000 * self::PATIENCE_MICROS;
        $flushing = [];

        foreach ($buckets as $name) {
            $pid = $stores->flushing($name);

            while ($pid !== null && $clock->monotonicNanos() < $deadline) {
                $clock->sleep(self::LOOK_MICROS);
                $pid = $stores->flushing($name);
            }

            if ($pid !== null) {
                $flushing[$name] = $pid;
            }
        }

        return $flushing;
    }

    /**
     * @param array<string, int> $flushing
     * @param array<array-key, string> $failed
     */
    private function printErrors(array $flushing, array $failed, OutputInterface $output): void
    {
        $usage = new CommandGuard($output);

        foreach ($flushing as $name => $pid) {
            $who = $pid === 0 ? 'a process' : "process {$pid}";
            $usage->error(
                "{$name}: it is paused, but {$who} is still delivering its current batch. Wait for it, or end it: "
                    .'killing it loses no event.',
            );
        }

        foreach ($failed as $name => $why) {
            $usage->error("{$name}: cannot be paused: {$why}");
        }
    }
}
