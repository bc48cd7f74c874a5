<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Console\BaseCommand;
use Headroom\Console\CurrentProgram;
use Headroom\Core\SystemClock;
use Headroom\Laravel\Doctor\DoctorRun;
use Headroom\Support\TerminalText;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Process\Factory;
use Illuminate\Process\PendingProcess;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Throwable;

/**
 * @internal
 */
#[AsCommand(name: 'headroom:doctor:background', description: 'Run the doctor for the dashboard', hidden: true)]
final class DoctorBackgroundCommand extends BaseCommand
{
    private const SECONDS = 300;

    private const MAX_BYTES = 500;

    public function __construct(private readonly Application $app)
    {
        parent::__construct();
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $run = new DoctorRun($this->app, new SystemClock);
        $lock = $run->lock();

        if ($lock === false) {
            return self::SUCCESS; // Another process runs it.
        }

        $startedAt = $run->now();

        try {
            $result = (new PendingProcess(new Factory))->timeout(self::SECONDS)->run([
                ...CurrentProgram::command($this->app->basePath('artisan')), 'headroom:doctor', '--json',
            ]);
            $report = json_decode($result->output(), true);
            is_array($report) && isset($report['findings'])
                ? $run->done($report, $startedAt)
                : $run->failed(
                    TerminalText::name(trim("{$result->errorOutput()} {$result->output()}"), self::MAX_BYTES),
                    $startedAt,
                );
        } catch (Throwable $e) {
            $run->failed(TerminalText::name($e->getMessage(), self::MAX_BYTES), $startedAt);
        } finally {
            fclose($lock);
        }

        return self::SUCCESS;
    }
}
