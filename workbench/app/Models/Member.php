<?php

declare(strict_types=1);

namespace Workbench\App\Models;

use Illuminate\Contracts\Translation\HasLocalePreference;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Notifications\Notifiable;

/**
 * Somebody who is told things. (docs/uses/notifications.md)
 */
final class Member extends Model implements HasLocalePreference
{
    use Notifiable;

    public $timestamps = false;

    protected $guarded = [];

    public function preferredLocale(): ?string
    {
        return is_string($this->getAttribute('locale')) ? $this->getAttribute('locale') : null;
    }
}
