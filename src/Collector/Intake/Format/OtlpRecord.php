<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Code;
use Headroom\Collector\Intake\Event;
use Headroom\Collector\Intake\EventReader;
use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Intake\Json\Text;
use Headroom\Collector\Intake\Refused;
use Headroom\Collector\Intake\Rejected;
use Headroom\Collector\Intake\Time;
use Headroom\Collector\Intake\Word;

use function intdiv;
use function is_int;
use function is_string;
use function preg_match;
use function strlen;

/**
 * One log record with the resource and the scope it is of, which are stored with it. Its eventName is the type, or 'log';
 * the resource's service.name is the source.
 *
 * @internal
 */
final readonly class OtlpRecord implements EventReader
{
    private ?string $service;

    /**
     * @param ?string $resource JSON
     * @param ?string $scope JSON
     */
    public function __construct(private Members $members, private ?string $resource, private ?string $scope)
    {
        $this->service = $resource === null ? null : self::serviceOf($members, $resource);
    }

    public function read(string $text, int $limit): Event
    {
        [$values] = $this->members->of($text, $limit);
        $data = Text::line('{"resource":'.($this->resource ?? '{}').',"scope":'.($this->scope ?? '{}').",\"record\":{$text}}");

        // What it shares with others counts as well, or a large resource could be made five thousand times of one.
        if (strlen($data) > $limit) {
            throw Rejected::tooLarge(strlen($data), $limit);
        }

        $name = $values['eventName'] ?? '';

        return new Event(
            $name === '' ? 'log' : Word::type($name, '/eventName'),
            null,
            $this->service,
            self::time($values['timeUnixNano'] ?? 0, '/timeUnixNano') ?? self::time($values['observedTimeUnixNano'] ?? 0, '/observedTimeUnixNano'),
            null,
            $data,
            null,
            $text,
        );
    }

    private static function serviceOf(Members $members, string $resource): ?string
    {
        try {
            foreach (Text::eachMember($resource) as $name => $attributes) {
                foreach ($name === 'attributes' ? Text::eachItem($attributes) : [] as $attribute) {
                    [$values, $texts] = $members->of($attribute, strlen($attribute));

                    if (($values['key'] ?? null) === 'service.name') {
                        return Word::source($members->of($texts['value'] ?? '', strlen($attribute))[0]['stringValue'] ?? null);
                    }
                }
            }
        } catch (Refused|Rejected) {
            // It is stored as it is, and names no source.
        }

        return null;
    }

    /**
     * Nanoseconds since the Unix epoch, as a number or as a text; 0 is not known.
     *
     * @throws Rejected
     */
    private static function time(mixed $nanos, string $pointer): ?string
    {
        $number = is_string($nanos) && preg_match('/\A\d{1,18}\z|\A[1-8]\d{18}\z/', $nanos) === 1 ? (int) $nanos : $nanos;

        if (! is_int($number) || $number < 0) {
            throw Rejected::invalid(Code::InvalidTime, $pointer, $nanos, 'nanoseconds since the Unix epoch');
        }

        return $number === 0 ? null : Time::ofMicros(intdiv($number, 1_000));
    }
}
