<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

use Closure;
use Headroom\Core\Clock;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Spool\FileStore\State\Throttle;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\RegularFile;

/**
 * The file with the records of all channels. Its modification time is the time of the last check.
 *
 * It has its size from the beginning and is written in place, because a full disk is one of the problems to report. A
 * damaged or foreign file stands for "nothing reported yet". If the root cannot be used, which is a problem to report
 * as well, the file is in the system's directory for temporary files. Once the root can be used again, the records move
 * there: the problem may come back.
 *
 * @internal
 */
final readonly class AlertFile
{
    public const NAME = 'alerts';

    private const MAGIC = 'headroom-alerts 1';

    private const BLOCK_BYTES = 16_384;

    private const MAX_BYTES = 4_194_304;

    /** The file is locked for microseconds. The process that holds the lock may be suspended (SIGSTOP). */
    private const TRIES = 40;

    private const PAUSE_MICROS = 5_000;

    public function __construct(private string $root, private Permissions $permissions, private Clock $clock) {}

    /**
     * Reads the status of two files.
     *
     * @phpstan-impure
     */
    public function isDue(int $seconds): bool
    {
        return $this->throttle($this->path())->isDue($seconds)
            && (! self::isOwn(PhpRestrictions::call('lstat', $this->temporaryPath()))
                || $this->throttle($this->temporaryPath())->isDue($seconds));
    }

    /** If the file cannot be written, its modification time is still that of an earlier check. */
    public function claimTurn(int $seconds): bool
    {
        return $this->isDue($seconds) && ($this->throttle($this->path())->claimTurn($seconds) !== null
            || ($this->isDue($seconds) && $this->throttle($this->temporaryPath())->claimTurn($seconds) !== null));
    }

    /**
     * Lets one process at a time change the records.
     *
     * @param Closure(array<string, ChannelRecord>): array<string, ChannelRecord> $change gets and returns the records
     *     by channel
     *
     * @throws UnableToRecord a message must not be sent, because it would be sent each minute
     */
    public function update(Closure $change): void
    {
        $file = $this->open();

        try {
            $this->lock($file);
            $before = (string) stream_get_contents($file, self::MAX_BYTES, 0);
            $moved = $this->movable($file);
            $records = self::decode($before);

            foreach (self::decode($moved) as $channel => $record) {
                $records[$channel] = $record->joined($records[$channel] ?? new ChannelRecord);
            }

            $after = self::encode($change($records));

            if ($after !== $before && ! $this->write($file, $after)) {
                throw UnableToRecord::notWritten($this->path());
            }

            $moved === '' || @unlink($this->temporaryPath());
        } finally {
            fclose($file);
        }
    }

    /**
     * @return resource
     *
     * @throws UnableToRecord
     */
    private function open()
    {
        $reason = '';
        $file = is_dir($this->root) ? $this->permissions->open($this->path(), 'c+e', $reason) : false;

        if ($file !== false && $this->hasSpace($file)) {
            RootDirectory::giveToOwner($this->path());

            return $file;
        }

        $temporary = RegularFile::open($this->temporaryPath(), 'c+e', permissions: 0o600);

        if ($temporary === false || ! self::isOwn(fstat($temporary))) {
            throw UnableToRecord::notWritten($this->path());
        }

        return $temporary;
    }

    /**
     * @param resource $file in use
     * @return string what is in the temporary file, if another one is in use now
     */
    private function movable($file): string
    {
        $temporary = $this->temporaryPath();

        return (stream_get_meta_data($file)['uri'] ?? null) !== $temporary
            && self::isOwn(PhpRestrictions::call('lstat', $temporary))
            ? (string) RegularFile::read($temporary, self::MAX_BYTES)
            : '';
    }

    /**
     * Every user may create files in the directory for temporary files.
     *
     * @param mixed $stat result of lstat() or fstat()
     */
    private static function isOwn(mixed $stat): bool
    {
        return is_array($stat) && $stat['uid'] === Permissions::currentUser();
    }

    /**
     * Whether a later write needs no more space on the disk.
     *
     * @param resource $file
     */
    private function hasSpace($file): bool
    {
        $size = fstat($file)['size'] ?? 0;

        if ($size >= self::BLOCK_BYTES) {
            return true;
        }

        fseek($file, $size);
        $missing = self::BLOCK_BYTES - $size;
        $isWritten = @fwrite($file, str_repeat(' ', $missing)) === $missing;
        rewind($file);

        return $isWritten;
    }

    /**
     * @param resource $file
     *
     * @throws UnableToRecord
     */
    private function lock($file): void
    {
        for ($try = 1; PhpRestrictions::call('flock', $file, LOCK_EX | LOCK_NB) !== true; $try++) {
            if ($try === self::TRIES) {
                throw UnableToRecord::locked($this->path());
            }

            $this->clock->sleep(self::PAUSE_MICROS);
        }
    }

    /** @param resource $file */
    private function write($file, string $text): bool
    {
        rewind($file);
        $isWritten = @fwrite($file, $text) === strlen($text) && fflush($file);
        PhpRestrictions::call(
            'touch',
            stream_get_meta_data($file)['uri'] ?? $this->path(),
            intdiv($this->clock->micros(), 1_000_000),
        );

        return $isWritten;
    }

    /** @param array<string, ChannelRecord> $records */
    private static function encode(array $records): string
    {
        $json = json_encode(
            (object) array_map(static fn (ChannelRecord $record): array => $record->toArray(), $records),
            JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES,
        );
        $text = sprintf("%s %08x %d\n%s", self::MAGIC, crc32($json), strlen($json), $json);

        return str_pad($text, self::BLOCK_BYTES * (int) ceil(strlen($text) / self::BLOCK_BYTES));
    }

    /** @return array<string, ChannelRecord> */
    private static function decode(string $text): array
    {
        $head = preg_quote(self::MAGIC, '/');

        if (preg_match("/\A{$head} ([0-9a-f]{8}) (\d{1,7})\n/", $text, $m) !== 1) {
            return [];
        }

        $json = substr($text, strlen($m[0]), (int) $m[2]);

        if (sprintf('%08x', crc32($json)) !== $m[1]) {
            return [];
        }

        $records = [];

        foreach ((array) json_decode($json, true, 8) as $channel => $record) {
            $records[(string) $channel] = ChannelRecord::fromArray($record);
        }

        return $records;
    }

    private function path(): string
    {
        return "{$this->root}/".self::NAME;
    }

    private function temporaryPath(): string
    {
        return rtrim(sys_get_temp_dir(), '/').'/headroom-alerts-'.Permissions::currentUser().'-'
            .substr(hash('sha256', $this->root), 0, 16);
    }

    private function throttle(string $path): Throttle
    {
        return new Throttle($path, $this->permissions, $this->clock);
    }
}
