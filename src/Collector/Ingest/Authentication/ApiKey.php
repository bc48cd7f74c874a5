<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Authentication;

use Headroom\Collector\Ingest\WildcardNames;

use function array_filter;
use function is_array;
use function is_int;
use function is_string;

/**
 * An API key with its scope.
 *
 * @internal
 */
final readonly class ApiKey
{
    private ?WildcardNames $patterns;

    /**
     * @param string $id identifies it in commands and files; not a secret
     * @param string $hash SHA-256 of the key itself, in hex; empty for the sender of a signed webhook
     * @param int $created seconds since the Unix epoch, like the other times
     * @param ?int $expires null: never
     * @param ?int $revoked null: it is valid
     * @param ?list<string> $types event types, or prefixes with a * at the end; null: any
     * @param ?list<string> $origins of browsers; null: any, or no Origin header
     * @param ?int<1, max> $rate events per second on this node; null: any
     * @param ?int<1, max> $eventBytes of the largest event; null: the collector's limit
     */
    public function __construct(
        public string $id,
        public string $name,
        public string $hash = '',
        public int $created = 0,
        public ?int $expires = null,
        public ?int $revoked = null,
        public ?array $types = null,
        public ?array $origins = null,
        public ?int $rate = null,
        public ?int $eventBytes = null,
    ) {
        $this->patterns = $types === null ? null : new WildcardNames($types);
    }

    public function maySend(string $type): bool
    {
        return $this->patterns === null || $this->patterns->matches($type);
    }

    public static function hash(string $token): string
    {
        return hash('sha256', $token);
    }

    public function revokedAt(int $seconds): self
    {
        return new self(
            $this->id,
            $this->name,
            $this->hash,
            $this->created,
            $this->expires,
            $seconds,
            $this->types,
            $this->origins,
            $this->rate,
            $this->eventBytes,
        );
    }

    /** @return array<string, mixed> without null values */
    public function toArray(): array
    {
        return array_filter([
            'id' => $this->id,
            'name' => $this->name,
            'hash' => $this->hash,
            'created' => $this->created,
            'expires' => $this->expires,
            'revoked' => $this->revoked,
            'types' => $this->types,
            'origins' => $this->origins,
            'rate' => $this->rate,
            'max_event_bytes' => $this->eventBytes,
        ], static fn (mixed $member): bool => $member !== null);
    }

    /** @return ?self null if a member is invalid, because a partly understood key must grant nothing */
    public static function fromArray(mixed $members): ?self
    {
        if (! is_array($members)) {
            return null;
        }

        [
            $id, $name, $hash, $created,
        ] = [$members['id'] ?? null, $members['name'] ?? null, $members['hash'] ?? null, $members['created'] ?? null];
        [$expires, $revoked, $rate, $bytes] = [
            $members['expires'] ?? null,
            $members['revoked'] ?? null,
            $members['rate'] ?? null,
            $members['max_event_bytes'] ?? null,
        ];
        $types = self::names($members['types'] ?? null);
        $origins = self::names($members['origins'] ?? null);

        $isWhole = is_string($id)
            && preg_match('/\A[a-z0-9]{1,32}\z/', $id) === 1
            && is_string($name)
            && is_string($hash)
            && is_int($created)
            && ($expires === null || is_int($expires))
            && ($revoked === null || is_int($revoked))
            && ($rate === null || (is_int($rate) && $rate > 0))
            && ($bytes === null || (is_int($bytes) && $bytes > 0))
            && $types !== false
            && $origins !== false;

        return $isWhole
            ? new self($id, $name, $hash, $created, $expires, $revoked, $types, $origins, $rate, $bytes)
            : null;
    }

    /** @return list<string>|null|false */
    private static function names(mixed $names): array|null|false
    {
        if ($names === null) {
            return null;
        }

        $strings = is_array($names) ? array_values(array_filter($names, is_string(...))) : [];

        return is_array($names) && count($strings) === count($names) ? $strings : false;
    }
}
