<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

/**
 * A worker's record of a finished job: 32 bytes, so the size of the file gives their number.
 *
 * @internal
 */
final readonly class JobRecord
{
    public const BYTES = 32;

    /** Times are monotonic nanoseconds, which all processes of the machine share: of dispatch, start and end. */
    public function __construct(
        public int $id,
        public JobOutcome $outcome,
        public int $pushed,
        public int $started,
        public int $ended,
    ) {}

    public function encode(): string
    {
        return pack('VVPPP', $this->id, $this->outcome->value, $this->pushed, $this->started, $this->ended);
    }

    /** @return list<self> complete ones; a killed worker may leave a partial one */
    public static function decodeAll(string $bytes): array
    {
        $records = [];

        foreach (str_split($bytes, self::BYTES) as $part) {
            $field = strlen($part) === self::BYTES ? unpack('Vid/Voutcome/Ppushed/Pstarted/Pended', $part) : false;

            /** @var array{id: int, outcome: int, pushed: int, started: int, ended: int}|false $field */
            if ($field !== false) {
                $records[] = new self(
                    $field['id'],
                    JobOutcome::from($field['outcome']),
                    $field['pushed'],
                    $field['started'],
                    $field['ended'],
                );
            }
        }

        return $records;
    }
}
