<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\AccessLog;

use Headroom\Host\WebStack;
use Headroom\Load\Observer;
use Headroom\Load\Request;
use Headroom\Load\Response;
use Random\Engine\Mt19937;
use Random\Randomizer;
use Symfony\Component\Process\Process;
use Workbench\Rig\Rig;

/**
 * Notes what was acknowledged, and kills workers and flushers with -9 while the requests are running: one of each block
 * of requests, at a random place in it, so that no run is without a kill.
 */
final class Killer implements Observer
{
    private const SIGKILL = 9;

    private const REQUESTS_PER_WORKER = 120;

    private const REQUESTS_PER_FLUSHER = 300;

    public int $workersKilled = 0;

    public int $flushersKilled = 0;

    /** @var array<int, true> numbers of the requests that were answered with 202 */
    public array $acknowledged = [];

    /** @var array<int, true> numbers that went out twice, because a kept connection was closed without an answer */
    public array $resent = [];

    /** @var array<array-key, int> by status or failure */
    public array $outcomes = [];

    private Process $flusher;

    private Randomizer $random;

    private int $finished = 0;

    /** @var array<int, int> the place of the kill in the block, by the size of the block */
    private array $places = [];

    public function __construct(private readonly WebStack $stack, private readonly Rig $rig, int $seed)
    {
        $this->random = new Randomizer(new Mt19937($seed));
        $this->flusher = $rig->worker(50);
    }

    public function finished(int $number, Request $request, Response $response): void
    {
        $outcome = $response->failure === null ? (string) $response->status : $response->failure->name;
        $this->outcomes[$outcome] = ($this->outcomes[$outcome] ?? 0) + 1;

        if ($response->failure === null && $response->status === 202) {
            $this->acknowledged[$number] = true;
        }

        if ($response->resent) {
            $this->resent[$number] = true;
        }

        if ($this->isDue(self::REQUESTS_PER_WORKER)) {
            $this->workersKilled += $this->stack->killRandomWorker() === null ? 0 : 1;
        }

        if ($this->isDue(self::REQUESTS_PER_FLUSHER)) {
            $this->flushersKilled += $this->endFlusher() ? 1 : 0;
            $this->flusher = $this->rig->worker(50);
        }

        $this->finished++;
    }

    public function endFlusher(): bool
    {
        $wasRunning = $this->flusher->isRunning();

        if ($wasRunning) {
            $this->flusher->signal(self::SIGKILL);
            $this->flusher->wait();
        }

        return $wasRunning;
    }

    private function isDue(int $block): bool
    {
        $place = $this->finished % $block;

        if ($place === 0) {
            $this->places[$block] = $this->random->getInt(0, $block - 1);
        }

        return $place === $this->places[$block];
    }
}
