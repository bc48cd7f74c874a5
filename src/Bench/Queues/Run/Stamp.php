<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

/**
 * A worker's record of a finished job: 32 bytes, so the size of the file gives their number.
 *
 * @internal
 */
final readonly class Stamp
{
    public const BYTES = 32;

    /** Times are monotonic nanoseconds, which all processes of the machine share: of dispatch, start and end. */
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

    /** @return list<self> complete ones; a killed worker may leave a partial one */
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
