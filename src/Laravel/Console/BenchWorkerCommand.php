<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Bench\Queues\Worker\BenchmarkWorker;
use Headroom\Bench\Queues\Worker\WorkerAssignment;
use Headroom\Console\CommandGuard;
use Headroom\Core\SystemClock;
use Illuminate\Console\Command;
use Illuminate\Container\Container;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(
    name: 'headroom:bench:worker',
    description: 'Run one worker of headroom:bench:queues, which starts this itself',
    hidden: true,
)]
final class BenchWorkerCommand extends Command
{
    /** High enough that no worker stops for its memory, which would change the measurement. */
    private const MEGABYTES = 1_024;

    public function configure(): void
    {
        $this->addArgument('orders', InputArgument::REQUIRED, 'File with the assignment')
            ->addArgument('number', InputArgument::REQUIRED, 'Number of the worker');
    }

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new CommandGuard($output))
            ->guard(fn (OutputInterface $output): int => parent::run($input, $output));
    }

    public function handle(): int
    {
        $text = fn (string $argument): string => is_string($value = $this->argument($argument)) ? $value : '';
        $orders = WorkerAssignment::read($text('orders'));
        (new BenchmarkWorker(Container::getInstance(), $orders, (int) $text('number'), new SystemClock))->prepare();

        return $this->call('queue:work', [
            'connection' => $orders->connection,
            '--queue' => $orders->queue,
            '--sleep' => $orders->sleep,
            '--tries' => $orders->tries,
            '--memory' => self::MEGABYTES,
            // Also in maintenance mode: these are not jobs of the application.
            '--force' => true,
        ]);
    }
}
