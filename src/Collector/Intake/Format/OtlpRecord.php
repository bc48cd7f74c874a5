<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Code;
use Headroom\Collector\Intake\Event;
use Headroom\Collector\Intake\EventReader;
use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Intake\Json\Text;
use Headroom\Collector\Intake\Rejected;
use Headroom\Collector\Intake\Time;
use Headroom\Collector\Intake\Word;

use function intdiv;
use function is_int;
use function is_string;
use function preg_match;
use function strlen;

/**
 * One log record with the resource and the scope it is of, which are stored with it. Its eventName is the type, or
 * 'log'; the resource's service.name is the source.
 *
 * @internal
 */
final readonly class OtlpRecord implements EventReader
{
    private const PARTS = '{"resource":,"scope":,"record":}';

    private int $shared;

    /** @param string $scope JSON */
    public function __construct(private Members $members, private OtlpResource $resource, private string $scope)
    {
        $this->shared = strlen(self::PARTS) + strlen($resource->text) + strlen($scope);
    }

    public function read(string $text, int $limit): Event
    {
        // What it shares with others counts as well, before it is put together: five thousand records
        // may share a large resource.
        if (strlen($text) + $this->shared > $limit) {
            throw Rejected::tooLarge(strlen($text) + $this->shared, $limit);
        }

        [$values] = $this->members->of($text, $limit);
        $name = $values['eventName'] ?? '';

        return new Event(
            $name === '' ? 'log' : Word::type($name, '/eventName'),
            null,
            $this->resource->service(),
            self::time($values['timeUnixNano'] ?? 0, '/timeUnixNano')
                ?? self::time($values['observedTimeUnixNano'] ?? 0, '/observedTimeUnixNano'),
            null,
            Text::line("{\"resource\":{$this->resource->text},\"scope\":{$this->scope},\"record\":{$text}}"),
            null,
            $text,
        );
    }

    /**
     * Nanoseconds since the Unix epoch, as a number or as a text; 0 is not known.
     *
     * @throws Rejected
     */
    private static function time(mixed $nanos, string $pointer): ?string
    {
        $number = is_string($nanos) && preg_match('/\A\d{1,18}\z|\A[1-8]\d{18}\z/', $nanos) === 1
            ? (int) $nanos
            : $nanos;

        if (! is_int($number) || $number < 0) {
            throw Rejected::invalid(Code::InvalidTime, $pointer, $nanos, 'nanoseconds since the Unix epoch');
        }

        return $number === 0 ? null : Time::ofMicros(intdiv($number, 1_000));
    }
}
