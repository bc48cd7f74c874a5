<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\ErrorCode;
use Headroom\Collector\Ingest\Event;
use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\EventTime;
use Headroom\Collector\Ingest\FieldRules;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Ingest\Json\JsonSplitter;

use function intdiv;
use function is_int;
use function is_string;
use function preg_match;
use function strlen;

/**
 * Reads one log record. Its resource and its scope are stored with it. Its eventName is the type, or 'log'; the
 * service.name of the resource is the source.
 *
 * @internal
 */
final readonly class OtlpRecord implements EventReader
{
    private const PARTS = '{"resource":,"scope":,"record":}';

    private int $sharedBytes;

    /** @param string $scope JSON */
    public function __construct(private JsonObject $objects, private OtlpResource $resource, private string $scope)
    {
        $this->sharedBytes = strlen(self::PARTS) + strlen($resource->text) + strlen($scope);
    }

    /** @param ?string $sent the record as the client sent it; null: $text */
    public function read(string $text, int $limit, ?string $sent = null): Event
    {
        // The shared part counts too, before it is copied: five thousand records may share a large resource.
        if (strlen($text) + $this->sharedBytes > $limit) {
            throw EventError::tooLarge(strlen($text) + $this->sharedBytes, $limit);
        }

        [$values] = $this->objects->read($text, $limit);
        $name = $values['eventName'] ?? '';

        return new Event(
            $name === '' ? 'log' : FieldRules::type($name, '/eventName'),
            null,
            $this->resource->service(),
            self::time($values['timeUnixNano'] ?? 0, '/timeUnixNano')
                ?? self::time($values['observedTimeUnixNano'] ?? 0, '/observedTimeUnixNano'),
            null,
            JsonSplitter::singleLine(
                "{\"resource\":{$this->resource->text},\"scope\":{$this->scope},\"record\":{$text}}",
            ),
            null,
            $sent ?? $text,
        );
    }

    /**
     * Nanoseconds since the Unix epoch, as a number or a string; 0 is unknown.
     *
     * @throws EventError
     */
    private static function time(mixed $nanos, string $pointer): ?string
    {
        $number = is_string($nanos) && preg_match('/\A\d{1,18}\z|\A[1-8]\d{18}\z/', $nanos) === 1
            ? (int) $nanos
            : $nanos;

        if (! is_int($number) || $number < 0) {
            throw EventError::invalid(ErrorCode::InvalidTime, $pointer, $nanos, 'nanoseconds since the Unix epoch');
        }

        return $number === 0 ? null : EventTime::fromMicros(intdiv($number, 1_000));
    }
}
