<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use DateTimeInterface;
use Illuminate\Notifications\Messages\DatabaseMessage;
use Illuminate\Notifications\Notification;

/**
 * A notification that uses all that Laravel's database channel knows.
 */
final class Told extends Notification
{
    /** @param list<string> $channels */
    public function __construct(
        private readonly array $channels,
        private readonly bool $isPlain,
        private readonly ?DateTimeInterface $readAt = null,
    ) {}

    /** @return list<string> */
    public function via(object $notifiable): array
    {
        return $this->channels;
    }

    public function databaseType(object $notifiable): string
    {
        return $this->isPlain ? 'told' : self::class;
    }

    public function initialDatabaseReadAtValue(object $notifiable): ?DateTimeInterface
    {
        return $this->readAt;
    }

    public function toDatabase(object $notifiable): DatabaseMessage
    {
        return new DatabaseMessage([
            'text' => "Zürich, \"two\"\nlines 🎈 \\",
            'amount' => 12.5,
            'nested' => ['a' => [1, null, true]],
            'locale' => app()->getLocale(),
        ]);
    }
}
