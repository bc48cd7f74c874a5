<?php

declare(strict_types=1);

namespace Headroom\Laravel\Notifications;

use Headroom\Spool\Buffer;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\UnableToAppend;
use Illuminate\Database\Eloquent\Builder;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Eloquent\Relations\HasOneOrMany;
use Illuminate\Notifications\Channels\DatabaseChannel;
use Illuminate\Notifications\Notification;

/**
 * Laravel's database channel with a buffer: the row is the one that Laravel would insert now, and a flush inserts it
 * together with many others. Return this class from via() instead of 'database'.
 */
final class BufferedDatabase extends DatabaseChannel
{
    /** The bucket to declare, with the notifications table as its destination. */
    public const BUCKET = 'notifications';

    /** @var ?list<array<string, mixed>> rows that together() collects */
    private ?array $together = null;

    /** @internal */
    public function __construct(private readonly Buffer $buffer) {}

    /**
     * @param mixed $notifiable a model that uses the Notifiable trait
     * @return Model the model of the row, which does not exist yet
     *
     * @throws NotBufferable
     * @throws InvalidEvent
     * @throws UnableToAppend
     */
    public function send($notifiable, Notification $notification): Model
    {
        $model = $this->relation($notifiable, $notification)->make($this->buildPayload($notifiable, $notification));

        if ($model->usesUniqueIds()) {
            $model->setUniqueIds();
        }

        if ($model->usesTimestamps()) {
            $model->updateTimestamps();
        }

        /** @var array<string, mixed> $row */
        $row = $model->getAttributes();

        if ($this->together !== null) {
            $this->together[] = $row;
        } else {
            $this->buffer->bucket(self::BUCKET)->add($row);
        }

        return $model;
    }

    /**
     * Buffers all notifications that the callback sends in one write, after it has returned. If the callback throws,
     * nothing is buffered.
     *
     * @template TResult
     *
     * @param callable(): TResult $send
     * @return TResult
     *
     * @throws InvalidEvent more than 65,535 notifications, or more than 8 MiB
     * @throws UnableToAppend
     */
    public function together(callable $send): mixed
    {
        $outer = $this->together;
        $this->together = [];

        try {
            $result = $send();
            $rows = $this->together;
        } finally {
            $this->together = $outer;
        }

        if ($outer !== null) {
            $this->together = [...$outer, ...$rows];
        } else {
            $this->buffer->bucket(self::BUCKET)->addMany($rows);
        }

        return $result;
    }

    /**
     * @return HasOneOrMany<Model, Model, mixed>|Builder<Model>
     *
     * @throws NotBufferable
     */
    private function relation(mixed $notifiable, Notification $notification): HasOneOrMany|Builder
    {
        $route = is_object($notifiable) && method_exists($notifiable, 'routeNotificationFor')
            ? $notifiable->routeNotificationFor('database', $notification)
            : null;

        return $route instanceof HasOneOrMany || $route instanceof Builder
            ? $route
            : throw NotBufferable::noTable($notification::class, get_debug_type($notifiable), get_debug_type($route));
    }
}
