<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Core\Clock;
use Headroom\Load\Observer;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\Response;
use Headroom\Load\UnableToLoad;
use Headroom\Support\EffectiveUser;

/**
 * Writes a line for every completed request during the run, with JMeter's columns in JMeter's order.
 * https://jmeter.apache.org/usermanual/listeners.html#csvlogformat
 *
 * @internal
 */
final class JtlFile implements Observer
{
    private const COLUMNS = [
        'timeStamp', 'elapsed', 'label', 'responseCode', 'responseMessage', 'threadName', 'dataType', 'success',
        'failureMessage',
        'bytes', 'sentBytes', 'grpThreads', 'allThreads', 'URL', 'Latency', 'IdleTime', 'Connect',
    ];

    private bool $isWhole = true;

    /**
     * @param resource $stream
     * @param int $process number of this process
     */
    private function __construct(
        private readonly string $path,
        private $stream,
        private readonly Plan $plan,
        private readonly Clock $clock,
        private readonly int $process,
    ) {}

    /** @throws UnableToLoad */
    public static function open(string $path, Plan $plan, Clock $clock): self
    {
        // As the owner of the directory: root would write through a link that the owner has put there.
        $stream = EffectiveUser::in(dirname($path))->during(static fn () => @fopen($path, 'wb'));
        $file = $stream === false ? throw UnableToLoad::notWritten($path) : new self($path, $stream, $plan, $clock, 1);
        $file->write(self::COLUMNS);

        return $file;
    }

    /**
     * Opens a file that several processes write to. Each line is appended with one write.
     *
     * @throws UnableToLoad
     */
    public static function join(string $path, Plan $plan, Clock $clock, int $process): self
    {
        $stream = EffectiveUser::in(dirname($path))->during(static fn () => @fopen($path, 'ab'));

        return $stream === false
            ? throw UnableToLoad::notWritten($path)
            : new self($path, $stream, $plan, $clock, $process);
    }

    public function finished(int $number, Request $request, Response $response): void
    {
        $elapsed = $response->waited + $response->micros;
        $hasStatus = $response->status > 0 && ($response->failure === null || $response->failure->isOfResponse());
        $words = $response->failure?->label() ?? '';

        $this->write([
            // The start of the request; with a rate, the time at which it was due.
            intdiv($this->clock->micros() - $elapsed, 1_000),
            intdiv($elapsed, 1_000),
            $response->step ?? "{$request->method} {$request->target->path}",
            $hasStatus ? $response->status : "Non HTTP response code: {$response->failure?->value}",
            $hasStatus ? '' : "Non HTTP response message: {$words}",
            "load {$this->process}-1",
            'text',
            $response->isGood ?? ($response->failure === null && $this->plan->accepts($response->status))
                ? 'true'
                : 'false',
            $hasStatus ? $words : '',
            $response->bytes,
            strlen($request->body ?? ''),
            $response->inFlight,
            $response->inFlight,
            $request->target->url,
            intdiv($response->waited + $response->firstByte, 1_000),
            0,
            intdiv($response->connect, 1_000),
        ]);
    }

    /** @throws UnableToLoad a line could not be written */
    public function close(): void
    {
        if (! fclose($this->stream) || ! $this->isWhole) {
            throw UnableToLoad::notWritten($this->path);
        }
    }

    /** @param list<int|string> $fields */
    private function write(array $fields): void
    {
        // A full disk must not end the run.
        $this->isWhole = $this->isWhole && @fputcsv($this->stream, $fields, ',', '"', '') !== false;
    }
}
