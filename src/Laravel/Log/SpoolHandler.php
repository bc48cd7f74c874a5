<?php

declare(strict_types=1);

namespace Headroom\Laravel\Log;

use Closure;
use Headroom\Spool\Bucket;
use Headroom\Spool\InvalidEvent;
use Headroom\Support\HostName;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Monolog\Handler\AbstractHandler;
use Monolog\Handler\HandlerInterface;
use Monolog\Handler\ProcessableHandlerInterface;
use Monolog\Handler\ProcessableHandlerTrait;
use Monolog\Level;
use Monolog\LogRecord;
use Throwable;

/**
 * A Monolog handler that writes each record as an event to a bucket of the buffer: docs/uses/logs.md.
 *
 * Logging never breaks the application, so nothing is thrown. A line that the buffer does not take goes to the
 * fallback. So does a line that is logged while another is being buffered, such as a warning of the buffer or a query
 * of a sink.
 */
final class SpoolHandler extends AbstractHandler implements ProcessableHandlerInterface
{
    use ProcessableHandlerTrait;

    /** Limit for a line in PHP's own log. */
    private const MAX_BYTES = 8_192;

    private bool $isBuffering = false;

    private bool $isInFallback = false;

    private int $fallbackCount = 0;

    private LogRow $rows;

    /**
     * @param Bucket|Closure(): Bucket $bucket a closure is called for each record
     * @param string $source the event's `source`; empty means the name of the machine
     * @param HandlerInterface|Closure(): HandlerInterface|null $fallback null means PHP's error_log()
     *
     * @phpstan-param value-of<Level::VALUES>|value-of<Level::NAMES>|Level|\Psr\Log\LogLevel::* $level
     */
    public function __construct(
        private readonly Bucket|Closure $bucket,
        int|string|Level $level = Level::Debug,
        bool $bubble = true,
        string $source = '',
        private readonly HandlerInterface|Closure|null $fallback = null,
    ) {
        parent::__construct($level, $bubble);
        $this->rows = new LogRow($source === '' ? HostName::own() : $source);
    }

    public function handle(LogRecord $record): bool
    {
        if (! $this->isHandling($record)) {
            return false;
        }

        $this->buffer([$record]);

        return ! $this->bubble;
    }

    /**
     * Buffers all records in one write.
     *
     * @param array<LogRecord> $records
     */
    public function handleBatch(array $records): void
    {
        $this->buffer(array_values(array_filter($records, $this->isHandling(...))));
    }

    /** Number of lines that went to the fallback since this handler was made. */
    public function fallbackCount(): int
    {
        return $this->fallbackCount;
    }

    /** @param list<LogRecord> $records */
    private function buffer(array $records): void
    {
        $why = 'it was logged while another line was being buffered';

        if (! $this->isBuffering) {
            $this->isBuffering = true;

            try {
                // An exception of a processor is a failure of the line, not of the application.
                $records = $this->processors === [] ? $records : array_map($this->processRecord(...), $records);
                $this->add($records);

                return;
            } catch (Throwable $e) {
                $why = $e->getMessage();
            } finally {
                $this->isBuffering = false;
            }
        }

        foreach ($records as $record) {
            $this->sendToFallback($record, $why);
        }
    }

    /**
     * @param list<LogRecord> $records
     *
     * @throws Throwable no record was buffered
     */
    private function add(array $records): void
    {
        $bucket = $this->bucket instanceof Closure ? ($this->bucket)() : $this->bucket;

        if (count($records) === 1) {
            $this->addOne($bucket, $records[0]);

            return;
        }

        try {
            $bucket->addMany(array_map($this->rows->of(...), $records));
        } catch (InvalidEvent) {
            // All records together are too many or too large, or a single one is.
            array_map(fn (LogRecord $record) => $this->addOrFallBack($bucket, $record), $records);
        }
    }

    private function addOrFallBack(Bucket $bucket, LogRecord $record): void
    {
        try {
            $this->addOne($bucket, $record);
        } catch (Throwable $e) {
            $this->sendToFallback($record, $e->getMessage());
        }
    }

    /** @throws Throwable */
    private function addOne(Bucket $bucket, LogRecord $record): void
    {
        try {
            $bucket->add($this->rows->of($record));
        } catch (InvalidEvent $e) {
            $bucket->add($e->isTooLarge ? $this->rows->short($record) : throw $e);
        }
    }

    private function sendToFallback(LogRecord $record, string $why): void
    {
        $this->fallbackCount++;

        // The fallback may lead back to this handler.
        if ($this->fallback !== null && ! $this->isInFallback) {
            $this->isInFallback = true;

            try {
                $fallback = $this->fallback instanceof Closure ? ($this->fallback)() : $this->fallback;
                $fallback->handle($record->with(extra: [...$record->extra, 'not_buffered' => $why]));

                return;
            } catch (Throwable $e) {
                $why .= " The fallback failed as well: {$e->getMessage()}";
            } finally {
                $this->isInFallback = false;
            }
        }

        $context = json_encode(
            $this->rows->of($record)['context'],
            JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PARTIAL_OUTPUT_ON_ERROR,
        );
        PhpRestrictions::call(
            'error_log',
            TerminalText::name(
                "{$record->channel}.{$record->level->getName()}: {$record->message} {$context}",
                self::MAX_BYTES,
            )
                ." (not buffered: {$why})",
        );
    }
}
