<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\DeadLetters;

use Headroom\Console\BaseCommand;
use Headroom\Spool\DeadLetters\DeadLetterId;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/**
 * The dead letters that a command line names: by id, all of a bucket, or all.
 *
 * @internal
 */
final readonly class DeadLetterSelection
{
    private const ALL = 'all';

    /**
     * @param list<BucketDeadLetters> $buckets only those with a selected dead letter
     * @param list<string> $missing asked ids that no dead letter has
     */
    private function __construct(public array $buckets, public array $missing) {}

    public static function define(BaseCommand $command): BaseCommand
    {
        return $command
            ->addArgument('id', InputArgument::IS_ARRAY, 'Ids as spool:failed prints them, ids of events, or "all"')
            ->addOption(
                'bucket',
                null,
                InputOption::VALUE_REQUIRED,
                'Only dead letters of this bucket; without an id, all of them',
            );
    }

    /**
     * @param bool $isAllByDefault whether a command line without ids means all
     *
     * @throws InvalidArgumentException
     */
    public static function of(InputInterface $input, SpoolServices $spool, bool $isAllByDefault = false): self
    {
        $ids = array_values(array_unique(array_filter((array) $input->getArgument('id'), is_string(...))));
        $bucket = $input->getOption('bucket');
        $bucket = is_string($bucket) ? $bucket : null;

        if ($ids === [] && $bucket === null && ! $isAllByDefault) {
            throw new InvalidArgumentException('Name dead letters by id, or "all", or a bucket with --bucket=NAME.');
        }

        if (in_array(self::ALL, $ids, true)) {
            $ids = $ids === [self::ALL] ? [] : throw new InvalidArgumentException('Give either ids or "all".');
        }

        return self::find(new DeadLetterFinder($spool), array_map(self::normal(...), $ids), $bucket);
    }

    /** @param list<string> $ids all if empty */
    private static function find(DeadLetterFinder $finder, array $ids, ?string $bucket): self
    {
        $found = [];
        $missing = $ids;

        foreach (self::buckets($finder, $ids, $bucket) as $name) {
            $in = $finder->ofBucket($name);
            $chosen = array_values(array_filter(
                $in->letters,
                static fn (DeadLetter|CorruptDeadLetter $letter): bool => $ids === []
                    || array_intersect($in->names($letter), $ids) !== [],
            ));
            $found = $chosen === [] ? $found : [...$found, new BucketDeadLetters($name, $chosen)];
            $missing = array_diff($missing, ...array_map($in->names(...), $chosen));
        }

        return new self($found, array_values($missing));
    }

    /**
     * @param list<string> $ids
     * @return list<string> only the buckets that the ids name, if every id names its bucket
     */
    private static function buckets(DeadLetterFinder $finder, array $ids, ?string $bucket): array
    {
        $named = array_filter(array_map(DeadLetterId::tryFrom(...), $ids));

        if ($bucket !== null || $ids === [] || count($named) < count($ids)) {
            return $finder->buckets($bucket);
        }

        $names = array_values(array_unique(array_map(static fn (DeadLetterId $id): string => $id->bucket, $named)));

        return array_merge(...array_map($finder->buckets(...), $names));
    }

    private static function normal(string $id): string
    {
        return DeadLetterId::tryFrom($id)?->toString() ?? $id;
    }

    public function isEmpty(): bool
    {
        return $this->buckets === [];
    }

    /** @return list<string> errors: ids without a dead letter, and dead letters that cannot be read */
    public function errors(): array
    {
        return array_merge($this->errorsOfMissing(), ...array_map(self::errorsOf(...), $this->buckets));
    }

    /** @return list<string> */
    public function errorsOfMissing(): array
    {
        return array_map(
            static fn (string $id): string
                => "There is no dead letter {$id}. An event that failed again after a retry has a new dead letter id; "
                    .'its event id is the same.',
            $this->missing,
        );
    }

    /** @return list<string> */
    public static function errorsOf(BucketDeadLetters $bucket): array
    {
        return array_map(
            static fn (CorruptDeadLetter $letter): string
                => DeadLetterId::of($bucket->bucket, $letter->position)->toString().": {$letter->reason}",
            $bucket->corrupt(),
        );
    }
}
