<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Authentication;

use Closure;
use Headroom\Core\Clock;
use Headroom\Support\AtomicFile;
use Headroom\Support\EffectiveUser;
use Headroom\Support\FileOperation;
use Headroom\Support\Path;
use Headroom\Support\RegularFile;

use function bin2hex;
use function chmod;
use function count;
use function dirname;
use function hash;
use function intdiv;
use function is_array;
use function is_dir;
use function json_decode;
use function json_encode;
use function random_bytes;
use function rtrim;
use function strtr;

/**
 * The API keys of a collector: `collector/keys.json` below the root of the buffer. The file has only the SHA-256 of
 * each key. That is enough: a key has 32 random bytes, so guessing is hopeless, and a deliberately slow password hash
 * would cost its time on every request.
 *
 * A change replaces the whole file under a lock, and the file is on disk before the change is reported.
 *
 * @internal
 */
final readonly class ApiKeyStore
{
    public const VERSION = 1;

    private const PREFIX = 'hrk_';

    /** One key has about 300 bytes. */
    private const MAX_BYTES = 67_108_864;

    /**
     * @param int $directoryMode mode bits, like those of the buffer: the user that creates keys and the user of
     *     the collector often differ
     * @param int $fileMode mode bits
     */
    public function __construct(
        public string $path,
        private Clock $clock,
        private int $directoryMode = 0700,
        private int $fileMode = 0600,
    ) {}

    public static function below(string $root, Clock $clock, int $directoryMode = 0700, int $fileMode = 0600): self
    {
        return new self("{$root}/collector/keys.json", $clock, $directoryMode, $fileMode);
    }

    /**
     * @param ApiKey $scope its permissions; this method sets the id, the hash and the time
     * @return array{ApiKey, string} the second is the key itself, which is not stored
     *
     * @throws UnableToStoreKeys
     */
    public function create(ApiKey $scope): array
    {
        $token = self::PREFIX.rtrim(strtr(base64_encode(random_bytes(32)), '+/', '-_'), '=');
        $key = new ApiKey(
            bin2hex(random_bytes(4)),
            $scope->name,
            ApiKey::hash($token),
            intdiv($this->clock->micros(), 1_000_000),
            $scope->expires,
            null,
            $scope->types,
            $scope->origins,
            $scope->rate,
            $scope->eventBytes,
        );
        $this->change(static fn (array $keys): array => [...$keys, $key]);

        return [$key, $token];
    }

    /**
     * @return bool false if no key has that id
     *
     * @throws UnableToStoreKeys
     */
    public function revoke(string $id): bool
    {
        $found = false;
        $now = intdiv($this->clock->micros(), 1_000_000);

        $this->change(static function (array $keys) use ($id, $now, &$found): array {
            foreach ($keys as $number => $key) {
                if ($key->id === $id) {
                    $found = true;
                    $keys[$number] = $key->revoked === null ? $key->revokedAt($now) : $key;
                }
            }

            return $keys;
        });

        return $found;
    }

    /**
     * @return list<ApiKey>
     *
     * @throws UnableToStoreKeys
     */
    public function all(): array
    {
        $reason = '';
        $text = RegularFile::read($this->path, self::MAX_BYTES, $reason);

        return match (true) {
            $text !== false => $this->parsed($text),
            Path::isAbsent($this->path) => [],
            default => throw UnableToStoreKeys::notRead($this->path, $reason),
        };
    }

    /**
     * @return list<ApiKey>
     *
     * @throws UnableToStoreKeys
     */
    private function parsed(string $text): array
    {
        $file = json_decode($text, true, 8);
        $version = is_array($file) ? $file['version'] ?? null : null;
        $members = is_array($file) ? $file['keys'] ?? null : null;

        if ($version !== self::VERSION || ! is_array($members)) {
            throw UnableToStoreKeys::invalid(
                $this->path,
                is_int($version)
                    ? "its version is {$version}, and this release reads version ".self::VERSION
                    : 'it is not a key file',
            );
        }

        $keys = [];

        foreach ($members as $member) {
            $keys[] = ApiKey::fromArray($member)
                ?? throw UnableToStoreKeys::invalid($this->path, 'key '.(count($keys) + 1).' is damaged');
        }

        return $keys;
    }

    /**
     * @param Closure(list<ApiKey>): list<ApiKey> $change
     *
     * @throws UnableToStoreKeys
     */
    private function change(Closure $change): void
    {
        $directory = dirname($this->path);
        $reason = '';

        $make = fn (): bool => mkdir($directory, $this->directoryMode, true) && chmod($directory, $this->directoryMode);

        if (
            ! is_dir($directory)
            && ! FileOperation::run(static fn (): bool => EffectiveUser::below($directory)->during($make), $reason)
            && ! is_dir($directory)
        ) {
            throw UnableToStoreKeys::notWritten($this->path, $reason);
        }

        $lock = EffectiveUser::in($directory)->during(function () use (&$reason) {
            return RegularFile::open("{$this->path}.lock", 'ce', $reason, $this->fileMode);
        });

        if ($lock === false || ! flock($lock, LOCK_EX)) {
            throw UnableToStoreKeys::notWritten("{$this->path}.lock", $reason);
        }

        try {
            $this->replace($change($this->all()));
        } finally {
            fclose($lock);
        }
    }

    /**
     * @param list<ApiKey> $keys
     *
     * @throws UnableToStoreKeys
     */
    private function replace(array $keys): void
    {
        $text = json_encode(
            ['version' => self::VERSION, 'keys' => array_map(static fn (ApiKey $key): array => $key->toArray(), $keys)],
            JSON_THROW_ON_ERROR
                | JSON_PRETTY_PRINT
                | JSON_UNESCAPED_SLASHES
                | JSON_UNESCAPED_UNICODE
                | JSON_INVALID_UTF8_SUBSTITUTE,
        )
            ."\n";
        $reason = '';
        $write = fn (): bool => AtomicFile::replace($this->path, $text, $this->fileMode, true)
            && self::syncDirectory($this->path);

        if (! FileOperation::run(fn (): bool => EffectiveUser::in(dirname($this->path))->during($write), $reason)) {
            throw UnableToStoreKeys::notWritten($this->path, $reason);
        }
    }

    private static function syncDirectory(string $path): bool
    {
        $directory = fopen(dirname($path), 're');

        return $directory !== false && fsync($directory) && fclose($directory);
    }
}
