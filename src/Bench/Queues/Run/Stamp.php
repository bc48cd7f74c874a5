<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

/**
 * What a worker writes down when it is done with a job: 32 bytes, so that the size of the file is their number.
 *
 * @internal
 */
final readonly class Stamp
{
    public const BYTES = 32;

    /** Times are monotonic nanoseconds, which all processes of the machine share: of being pushed, begun, done with. */
    public function __construct(
        public int $id,
        public Ending $ending,
        public int $pushed,
        public int $started,
        public int $ended,
    ) {}

    public function encode(): string
    {
        return pack('VVPPP', $this->id, $this->ending->value, $this->pushed, $this->started, $this->ended);
    }

    /** @return list<self> of whole ones; what a worker was writing when it was killed is left out */
    public static function decodeAll(string $bytes): array
    {
        $stamps = [];

        foreach (str_split($bytes, self::BYTES) as $record) {
            $field = strlen($record) === self::BYTES ? unpack('Vid/Vending/Ppushed/Pstarted/Pended', $record) : false;

            /** @var array{id: int, ending: int, pushed: int, started: int, ended: int}|false $field */
            if ($field !== false) {
                $stamps[] = new self(
                    $field['id'],
                    Ending::from($field['ending']),
                    $field['pushed'],
                    $field['started'],
                    $field['ended'],
                );
            }
        }

        return $stamps;
    }
}
