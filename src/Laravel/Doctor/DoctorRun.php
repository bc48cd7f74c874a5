<?php

declare(strict_types=1);

namespace Headroom\Laravel\Doctor;

use Headroom\Core\Clock;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Support\AtomicFile;
use Headroom\Support\FileOperation;
use Headroom\Support\RegularFile;
use Illuminate\Contracts\Foundation\Application;

/**
 * The last report of the doctor, in the storage directory, and whether the doctor runs in the background now.
 *
 * @internal
 */
final readonly class DoctorRun
{
    private const FILE = 'framework/headroom-doctor.json';

    private const MAX_BYTES = 4_194_304;

    private const TRIES = 500;

    private const WAIT_MICROS = 10_000;

    private string $path;

    public function __construct(Application $app, private Clock $clock)
    {
        $this->path = $app->storagePath(self::FILE);
    }

    /** @param array<array-key, mixed> $report */
    public function done(array $report, ?float $startedAt = null): void
    {
        $this->save('done', $startedAt, null, $report);
    }

    public function failed(string $detail, ?float $startedAt): void
    {
        $this->save('failed', $startedAt, $detail, null);
    }

    /**
     * The kernel releases the lock when the process ends, also by SIGKILL.
     *
     * @return resource|false false while another process runs the doctor
     */
    public function lock()
    {
        $lock = RegularFile::open("{$this->path}.lock", 'ce', permissions: 0600);

        for ($try = 0; $lock !== false && $try < self::TRIES; $try++) {
            if (flock($lock, LOCK_EX | LOCK_NB)) {
                // The page shows since when it runs.
                FileOperation::run(fn (): bool => touch("{$this->path}.lock"));

                return $lock;
            }

            // A page that asks whether the doctor runs shares the lock for a moment; a doctor does not share it.
            if (! flock($lock, LOCK_SH | LOCK_NB)) {
                return false;
            }

            flock($lock, LOCK_UN);
            $this->clock->sleep(self::WAIT_MICROS);
        }

        return false;
    }

    /** Whether a doctor that this user runs can lock it and save its report. */
    public function isWritable(): bool
    {
        return is_writable(dirname($this->path));
    }

    public function isRunning(): bool
    {
        $lock = RegularFile::open("{$this->path}.lock", 're');
        $isFree = $lock === false || flock($lock, LOCK_SH | LOCK_NB);
        $lock === false || fclose($lock);

        return ! $isFree;
    }

    /** @return array{state: string, started_at: ?float, finished_at: ?float, detail: ?string, report: mixed} */
    public function toArray(): array
    {
        $reason = '';
        $text = RegularFile::read($this->path, self::MAX_BYTES, $reason);
        $values = $text === false && RegularFile::exists($this->path)
            ? ['state' => 'failed', 'detail' => "The report {$this->path} cannot be read: {$reason}."]
            : json_decode((string) $text, true);
        $values = is_array($values) ? $values : [];
        $number = static fn (string $name): ?float
            => is_numeric($values[$name] ?? null) ? (float) $values[$name] : null;

        $isRunning = $this->isRunning();

        return [
            'state' => match (true) {
                $isRunning => 'running',
                ($values['state'] ?? null) === 'failed' => 'failed',
                default => isset($values['report']) ? 'done' : 'never',
            },
            'started_at' => $isRunning ? (float) @filemtime("{$this->path}.lock") : $number('started_at'),
            'finished_at' => $number('finished_at'),
            'detail' => is_string($values['detail'] ?? null) ? $values['detail'] : null,
            'report' => $values['report'] ?? null,
        ];
    }

    public function now(): float
    {
        return $this->clock->micros() / 1_000_000;
    }

    /** @param ?array<array-key, mixed> $report */
    private function save(string $state, ?float $startedAt, ?string $detail, ?array $report): void
    {
        $text = json_encode([
            'state' => $state,
            'started_at' => $startedAt,
            'finished_at' => $this->now(),
            'detail' => $detail,
            'report' => $report,
        ], JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
        // Where the storage directory cannot be written, the command has still printed its report.
        if (FileOperation::run(fn (): bool => AtomicFile::replace($this->path, (string) $text, 0600))) {
            // The page reads also the report of a doctor that root has run.
            RootDirectory::giveToOwner($this->path);
        }
    }
}
