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
 * Laravel's database channel by way of the buffer: the row is the one that it would have inserted at this moment, and a
 * flush inserts it with many others. To be named in a notification's via() instead of 'database'.
 */
final class BufferedDatabase extends DatabaseChannel
{
    /** The bucket that has to be declared, with the table of the notifications as its sink. */
    public const BUCKET = 'notifications';

    /** @var ?list<array<string, mixed>> rows that are held back to be written together */
    private ?array $together = null;

    /** @internal */
    public function __construct(private readonly Buffer $buffer) {}

    /**
     * @param mixed $notifiable a model that uses the Notifiable trait
     * @return Model what will be in the table; it is not there yet
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
     * What is sent by the callback is written in one go, when it has returned, all of it or nothing: for a notification
     * to many. An exception in it leaves nothing buffered.
     *
     * @template TResult
     *
     * @param callable(): TResult $send
     * @return TResult
     *
     * @throws InvalidEvent they are more than 65,535, or 8 MiB together
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
        $route = is_object($notifiable) && method_exists($notifiable, 'routeNotificationFor') ? $notifiable->routeNotificationFor('database', $notification) : null;

        return $route instanceof HasOneOrMany || $route instanceof Builder ? $route : throw NotBufferable::noTable($notification::class, get_debug_type($notifiable), get_debug_type($route));
    }
}
