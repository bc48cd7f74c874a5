<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

use Headroom\Spool\Alerts\Alert;
use Headroom\Spool\Alerts\ResolvedAlert;
use Illuminate\Notifications\AnonymousNotifiable;
use Illuminate\Notifications\Messages\MailMessage;
use Illuminate\Notifications\Notification;
use Illuminate\Support\HtmlString;

/**
 * The notification for mail and for notifiables of the application. To send it through other channels, bind a subclass
 * under this name in the container.
 */
class AlertNotification extends Notification
{
    public function __construct(public readonly AlertMessage $message) {}

    /** @return array<int, string> */
    public function via(object $notifiable): array
    {
        return $notifiable instanceof AnonymousNotifiable
            ? array_map(strval(...), array_keys($notifiable->routes))
            : ['mail'];
    }

    public function toMail(object $notifiable): MailMessage
    {
        $mail = (new MailMessage)->subject($this->message->title());
        $this->message->raised === [] ? $mail->success() : $mail->error();
        $mail->greeting($this->message->title());

        foreach ($this->message->parts() as $part) {
            $mail->line(new HtmlString('<strong>'.self::escaped($part->title).'</strong>'));
            $mail->line(self::html($part->message));
            $part->fix === null ? null : $mail->line(self::html($part->fix));
        }

        return $mail->salutation(' ');
    }

    /** @return array<string, mixed> */
    public function toArray(object $notifiable): array
    {
        return [
            'title' => $this->message->title(),
            'text' => $this->message->text(),
            'raised' => array_map(static fn (Alert $alert): array => $alert->toArray(), $this->message->raised),
            'resolved' => array_map(
                static fn (ResolvedAlert $alert): array => $alert->toArray(),
                $this->message->resolved,
            ),
        ];
    }

    private static function html(string $text): HtmlString
    {
        return new HtmlString(self::escaped($text));
    }

    /**
     * Laravel's template parses Markdown and HTML. A character that is an entity is text in both, and the text part of
     * the mail decodes it.
     */
    private static function escaped(string $text): string
    {
        return (string) preg_replace_callback(
            '/[^A-Za-z0-9 \x80-\xFF]/',
            static fn (array $match): string => '&#'.ord($match[0]).';',
            $text,
        );
    }
}
