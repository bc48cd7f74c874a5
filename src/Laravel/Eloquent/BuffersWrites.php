<?php

declare(strict_types=1);

namespace Headroom\Laravel\Eloquent;

use Headroom\Spool\InvalidEvent;

/**
 * Buffers new models of an Eloquent class: docs/models.md.
 *
 * The row is the one that create() would insert now: with mass assignment, casts, mutators, default attributes, UUIDs
 * and ULIDs, and timestamps. The events `saving` and `creating` fire now and may cancel; `created` and `saved` do not
 * fire, because the row does not exist yet and has no key from the database.
 *
 * It is a trait, because only the model itself can call Eloquent's protected methods. All other code is in
 * ModelBuckets.
 *
 * @mixin \Illuminate\Database\Eloquent\Model
 */
trait BuffersWrites
{
    /**
     * @param array<string, mixed>|self $attributes or a new model that is not saved
     * @param bool $afterCommit buffers when the open transaction of the model's connection commits, and not at all if
     * it rolls back
     * @return ?static the buffered model: it does not exist in the database yet, and save() would write it a second
     * time. Null if a listener cancelled it
     *
     * @throws InvalidEvent
     * @throws \Headroom\Spool\UnableToAppend
     * @throws \Illuminate\Database\Eloquent\MassAssignmentException
     */
    public static function buffer(array|self $attributes = [], bool $afterCommit = false): ?static
    {
        return static::bufferMany([$attributes], $afterCommit)[0] ?? null;
    }

    /**
     * Buffers all models in one write, or none.
     *
     * @param iterable<array<string, mixed>|self> $models
     * @return list<static> models that no listener cancelled
     *
     * @throws InvalidEvent
     * @throws \Headroom\Spool\UnableToAppend
     * @throws \Illuminate\Database\Eloquent\MassAssignmentException
     */
    public static function bufferMany(iterable $models, bool $afterCommit = false): array
    {
        $buffered = [];
        $rows = [];

        foreach ($models as $one) {
            $model = $one instanceof self ? $one : new static($one);
            $row = $model->rowToBuffer();

            if ($row !== null) {
                $buffered[] = $model;
                $rows[] = $row;
            }
        }

        if ($rows !== [] && $buffered !== []) {
            ModelBuckets::add($buffered, $rows, $afterCommit);
        }

        return $buffered;
    }

    /** The property $bucket, or the name of the table. */
    public function bufferBucket(): string
    {
        $named = property_exists($this, 'bucket') ? $this->bucket : null;

        return is_string($named) ? $named : ModelBuckets::nameOf($this->getTable());
    }

    /**
     * Does what save() does before it runs the statement.
     *
     * @return ?array<string, mixed> null if a listener cancelled it
     */
    private function rowToBuffer(): ?array
    {
        if ($this->exists) {
            throw InvalidEvent::alreadyThere($this::class);
        }

        $this->mergeAttributesFromCachedCasts();

        if ($this->fireModelEvent('saving') === false) {
            return null;
        }

        if ($this->usesUniqueIds()) {
            $this->setUniqueIds();
        }

        if ($this->fireModelEvent('creating') === false) {
            return null;
        }

        if ($this->usesTimestamps()) {
            $this->updateTimestamps();
        }

        /** @var array<string, mixed> */
        return $this->getAttributesForInsert();
    }
}
